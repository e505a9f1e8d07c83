// One POST, and its answer on the way to the disk.
#include "oauth/parts_rig.hpp"

#include <cerrno>

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

// A set is in force, and the slot for the answer is open on both copies.
struct Prepared : PartsRig {
    Prepared()
    {
        open();
        put_in_force(set());
        auto open_raw = [&](JournalPair& pair) { return pair.open_raw(1, machine.attempt(), moments.now()); };
        REQUIRE(world.run(journals.write(open_raw)).copies == 2);
        REQUIRE(world.run(journals.write_note(RecordKind::intent, standing.present_note())).copies == 2);
        exchange.keep_secret(Secret("client secret & more"));
    }
    Exchange::Sending refresh() { return world.run(exchange.refresh(sets.present()->refresh)); }
};

TEST_CASE("an answer is on both copies before it is read, and counted")
{
    Prepared rig;
    REQUIRE(rig.refresh() == Exchange::Sending::ended);
    REQUIRE(rig.exchange.landed().tokens.access.empty());
    rig.world.run(rig.exchange.land());
    REQUIRE(rig.exchange.has_new_set());
    REQUIRE(rig.exchange.landed().tokens.access.reveal() == rig.world.service.access());
    REQUIRE(rig.exchange.tally().attempts() == 1);
    REQUIRE(rig.exchange.tally().count(ExchangeOutcome::granted) == 1);
    REQUIRE(rig.exchange.last_landing());
    JournalPair next(rig.store.a, rig.store.b, "antwerp");
    const auto known = next.open();
    REQUIRE(known);
    REQUIRE(known->raw);
    REQUIRE(known->raw->complete);
    REQUIRE(known->raw->body.reveal().find(rig.world.service.refresh()) != std::string::npos);
}

TEST_CASE("a connection that could not be made spends nothing and is no answer")
{
    Prepared rig;
    rig.world.service.faults.push_back({false, http::Answer::failed(ErrorKind::network, Delivery::not_sent)});
    REQUIRE(rig.refresh() == Exchange::Sending::not_sent);
    REQUIRE(rig.exchange.tally().count(ExchangeOutcome::not_sent) == 1);
    REQUIRE_FALSE(rig.standing.trouble().empty());
    REQUIRE(rig.world.log_has("the refresh could not be sent; the refresh token is unused"));
}

TEST_CASE("the access token of an answer that was cut after it survives")
{
    Prepared rig;
    auto answer = rig.world.service.response();
    const auto end = answer.find("\"refresh_token\"");
    REQUIRE(end != std::string::npos);
    rig.world.service.faults.push_back({false, http::Answer::cut(200, answer.substr(0, end))});
    REQUIRE(rig.refresh() == Exchange::Sending::ended);
    rig.world.run(rig.exchange.land());
    REQUIRE_FALSE(rig.exchange.has_new_set());
    REQUIRE(rig.exchange.landed().answer == AnswerClass::unclear);
    REQUIRE(rig.exchange.survivor());
    REQUIRE(rig.exchange.survivor()->access.reveal() == rig.world.service.access());
}

TEST_CASE("an answer that no disk takes is read all the same, and that is reported")
{
    Prepared rig;
    rig.world.disk.fail_after(0, EIO);
    REQUIRE(rig.refresh() == Exchange::Sending::ended);
    rig.world.run(rig.exchange.land());
    REQUIRE(rig.exchange.has_new_set());
    REQUIRE_FALSE(rig.exchange.last_landing());
    REQUIRE(rig.world.log_has("the answer of the token endpoint could not be stored as received"));
}

TEST_CASE("what no record can hold leaves its access token, or nothing")
{
    Prepared rig;
    REQUIRE(rig.refresh() == Exchange::Sending::ended);
    rig.world.run(rig.exchange.land());
    rig.exchange.give_up_answer(Exchange::Salvage::access_token, "too large");
    REQUIRE(rig.exchange.survivor()->access.reveal() == rig.world.service.access());
    REQUIRE(rig.exchange.landed().reason == "too large");
    rig.exchange.give_up_answer(Exchange::Salvage::nothing, "too large");
    REQUIRE_FALSE(rig.exchange.survivor());
}

TEST_CASE("an exchange has one turn until it has its answer, or is let go")
{
    Prepared rig;
    REQUIRE(rig.world.run(rig.exchange.take_turn(Haste::calm)));
    REQUIRE(rig.world.gate.under_way() == 1);
    REQUIRE(rig.world.run(rig.exchange.take_turn(Haste::in_doubt)));  // a replay has the turn of what it repeats
    REQUIRE(rig.world.gate.under_way() == 1);
    REQUIRE(rig.refresh() == Exchange::Sending::ended);
    rig.world.run(rig.exchange.land());
    REQUIRE(rig.world.gate.under_way() == 0);
    REQUIRE(rig.world.run(rig.exchange.take_turn(Haste::calm)));
    rig.exchange.let_go();
    REQUIRE(rig.world.gate.under_way() == 0);
}

}  // namespace
}  // namespace shelfd::oauth

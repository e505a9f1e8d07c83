// From what the journals say to where the machine begins.
#include "oauth/parts_rig.hpp"
#include "oauth/stored/recovery.hpp"

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

// Journals that hold the present set and a note with that standing.
struct Found {
    PartsRig rig;
    Recovered known;

    explicit Found(std::optional<Standing> standing = std::nullopt)
    {
        rig.sets.recover(rig.set(), std::nullopt);
        if (standing) {
            known.note.emplace();
            known.note->standing = *standing;
            known.note->first_sent = known.note->last_sent = rig.moments.now();
            known.attempt = 3;
        }
    }
    void answer(int status, const std::string& body)
    {
        known.raw.emplace();
        known.raw->status = status;
        known.raw->complete = true;
        known.raw->body = Secret(body);
    }
    Beginning recover() { return oauth::recover(known, {rig.sets, rig.moments, "canary", false, 0.5}); }
};

TEST_CASE("a set without a note begins at rest, with what it learned of the same canary")
{
    Found found;
    auto set = found.rig.set();
    set.learned.canary = GENERATE("canary", "another");
    const auto is_same = set.learned.canary == "canary";
    set.learned.old_token_dies = true;
    set.pace.hurried = 2;
    found.rig.sets.recover(std::move(set), std::nullopt);
    const auto beginning = found.recover();
    REQUIRE_FALSE(beginning.must_land);
    REQUIRE(beginning.start.standing == Standing::good);
    REQUIRE_FALSE(beginning.start.doubt.open);
    REQUIRE(beginning.start.learned.old_token_dies.has_value() == is_same);
    REQUIRE(beginning.start.learned.canary == "canary");
    REQUIRE(beginning.start.rate.hurried == 2);
}

TEST_CASE("exchanges after the set count for the day after a restart, too")
{
    Found found(Standing::in_doubt);
    auto set = found.rig.set();
    const auto was_today = GENERATE(false, true);
    set.pace.day_count = 5;
    set.pace.day_start = found.rig.moments.now().wall - (was_today ? 10h : 30h);
    found.rig.sets.recover(std::move(set), std::nullopt);
    const auto rate = found.recover().start.rate;
    CHECK(rate.day_count == (was_today ? 8u : 3u));
    CHECK(rate.day_start == found.rig.moments.past(found.known.note->last_sent) - (was_today ? 10h : 0h));
}

TEST_CASE("an open intent lands what came of it, and nothing else says what it is")
{
    Found found(Standing::in_doubt);
    found.known.intent_open = true;
    found.known.note->earlier_doubt = GENERATE(false, true);
    found.answer(200, found.rig.world.service.response());
    const auto beginning = found.recover();
    REQUIRE(beginning.must_land);
    REQUIRE(beginning.landed.answer == AnswerClass::granted);
    REQUIRE((beginning.earlier == RefreshMachine::Earlier::doubt) == found.known.note->earlier_doubt);
    REQUIRE(beginning.start.attempt == 3);
    REQUIRE(beginning.start.standing == Standing::good);
}

TEST_CASE("an exchange in doubt stays in doubt, and remembers how it was refused")
{
    Found found(Standing::in_doubt);
    found.answer(403, "<html>no</html>");
    const auto beginning = found.recover();
    REQUIRE_FALSE(beginning.must_land);
    REQUIRE(beginning.start.doubt.open);
    REQUIRE(beginning.start.doubt.refusals == 1);
    REQUIRE(beginning.start.doubt.unreadable == 0);
}

TEST_CASE("a verdict that is no doubt leaves none")
{
    Found found(Standing::configuration);
    const auto beginning = found.recover();
    REQUIRE(beginning.start.standing == Standing::configuration);
    REQUIRE_FALSE(beginning.start.doubt.open);
}

TEST_CASE("the note of a login says where the set stands, and its answer is not that of a refresh")
{
    Found found(Standing::good);
    found.known.intent_open = true;
    found.known.note->code_sent = found.rig.moments.now();
    found.answer(200, found.rig.world.service.response());
    const auto beginning = found.recover();
    REQUIRE_FALSE(beginning.must_land);
    REQUIRE(beginning.landed.tokens.access.empty());
    REQUIRE(beginning.start.attempt == 0);
    REQUIRE_FALSE(beginning.start.doubt.open);
}

TEST_CASE("a moment of another boot is read from the wall clock, never before the newest record")
{
    PartsRig rig;
    auto moment = rig.moments.now();
    rig.world.clock.advance_by(1h);
    REQUIRE(rig.moments.past(moment) == moment.boot);
    moment.boot_id[0] = std::byte{9};
    moment.boot = BootTime();
    REQUIRE(rig.world.clock.boot_now() - rig.moments.past(moment) == Duration(1h));
    rig.moments.set_newest_record(moment.wall + 3h);  // the wall clock was put back
    REQUIRE(rig.world.clock.boot_now() - rig.moments.past(moment) == Duration(3h));
    moment.wall = rig.world.clock.now() + 90h;
    REQUIRE(rig.moments.coming(moment) - rig.world.clock.boot_now() == Duration(24h));
}

}  // namespace
}  // namespace shelfd::oauth

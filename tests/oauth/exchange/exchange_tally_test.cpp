// What the metrics of exchanges are made of.
#include "oauth/keeper_rig.hpp"
#include "support/catch.hpp"

#include <set>

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

std::uint64_t all_outcomes(const ExchangeTally& tally)
{
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < exchange_outcomes; ++i) {
        sum += tally.count(static_cast<ExchangeOutcome>(i));
    }
    return sum;
}

TEST_CASE("each exchange is counted under what became of it, and under nothing else")
{
    struct Row {
        const char* name;
        http::Answer answer;
        bool acts;
        ExchangeOutcome outcome;
    };
    const auto row = GENERATE(values<Row>({
        {"wrong secret", http::Answer::of(401, R"({"error": "invalid_client"})"), false,
         ExchangeOutcome::configuration},
        {"used", http::Answer::of(400, R"({"error": "invalid_grant"})"), false, ExchangeOutcome::denied},
        {"too many", http::Answer::of(429, "{}"), false, ExchangeOutcome::throttled},
        {"broken service", http::Answer::of(500, ""), false, ExchangeOutcome::server_error},
        {"no answer", http::Answer::failed(ErrorKind::timeout, Delivery::perhaps_sent), false,
         ExchangeOutcome::unclear},
        {"no connection", http::Answer::failed(ErrorKind::network, Delivery::not_sent), false,
         ExchangeOutcome::not_sent},
    }));
    INFO(row.name);
    KeeperRig rig;
    rig.service.faults.push_back({row.acts, row.answer});
    rig.start();
    rig.give_set();
    CHECK(all_outcomes(rig.keeper().status().exchanges) == 0);
    rig.clock.advance_by(84h);
    const auto tally = rig.keeper().status().exchanges;
    CHECK(tally.attempts() == rig.service.posts);
    CHECK(tally.count(row.outcome) == 1);
    CHECK(all_outcomes(tally) == tally.attempts());
}

TEST_CASE("a good answer is counted and timed, one that never came is not timed")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    rig.clock.advance_by(84h);
    auto status = rig.keeper().status();
    CHECK(status.exchanges.count(ExchangeOutcome::granted) == 1);
    CHECK(status.exchanges.landings() == 1);
    CHECK(status.last_byte_to_durable);
    rig.service.faults.push_back({true, http::Answer::failed(ErrorKind::timeout, Delivery::perhaps_sent)});
    rig.clock.advance_by(84h);
    status = rig.keeper().status();
    CHECK(status.exchanges.count(ExchangeOutcome::unclear) == 1);
    CHECK(status.exchanges.landings() + 1 == status.exchanges.attempts());
}

TEST_CASE("a duration falls into the first class that takes it, and what is longer than all into none but the whole")
{
    ExchangeTally tally;
    tally.landed(Duration(500));
    tally.landed(Duration(501));
    tally.landed(20ms);
    tally.landed(60s);
    CHECK(tally.landed_within(0) == 1);
    CHECK(tally.landed_within(1) == 2);
    CHECK(tally.landed_within(4) == 2);
    CHECK(tally.landed_within(5) == 3);
    CHECK(tally.landed_within(tally.bounds.size() - 1) == 3);
    CHECK(tally.landings() == 4);
    CHECK(tally.landing_time() == 60s + 20ms + Duration(1'001));
}

TEST_CASE("every outcome has a word of its own")
{
    std::set<std::string> words;
    for (std::size_t i = 0; i < exchange_outcomes; ++i) {
        words.insert(to_string(static_cast<ExchangeOutcome>(i)));
    }
    CHECK(words.size() == exchange_outcomes);
}

}  // namespace
}  // namespace shelfd::oauth

#include "sync/details/detail_plan.hpp"

#include "support/catch.hpp"

using namespace shelfd;
using namespace shelfd::sync;
using namespace std::chrono_literals;

namespace {

const Instant noon = Instant::from_seconds(1'800'000'000);

// So many were all fetched at once, `ago`.
mirror::DetailFacts fetched(std::uint64_t rows, Duration ago)
{
    mirror::DetailFacts facts;
    facts.rows = facts.fetched = rows;
    facts.filled = true;
    facts.first_asked = facts.last_asked = noon - ago;
    return facts;
}

}  // namespace

TEST_CASE("what is ready is fetched at once, a handful at a time, and nothing beside it")
{
    const DetailPlan plan(24h);
    auto facts = fetched(1000, 30h);
    facts.overdue = 1000;
    facts.ready = 7;
    auto turn = plan.next(facts, noon);
    CHECK(turn.share.ready == 7);
    CHECK(turn.share.again == 0);
    facts.ready = 10'000;
    CHECK(plan.next(facts, noon).share.ready == DetailPlan::max_at_once);
}

TEST_CASE("fetched ones come again one after the other, each once in the time, a little early")
{
    const DetailPlan plan(20h);  // 19 h for 19 rows: one an hour
    auto turn = plan.next(fetched(19, 30min), noon);
    CHECK(turn.is_idle());
    CHECK(turn.look_again == noon + 15min);  // looks are never further apart
    turn = plan.next(fetched(19, 50min), noon);
    CHECK(turn.look_again == noon + 10min);
    turn = plan.next(fetched(19, 1h), noon);
    CHECK(turn.share.again == 1);
    turn = plan.next(fetched(19, 3h), noon);
    CHECK(turn.share.again == 3);
}

TEST_CASE("many rows are looked at again some at a time, so that an idle disk sleeps")
{
    const DetailPlan plan(20h);  // 19 h for 11,400 rows: one in 6 s
    auto turn = plan.next(fetched(11'400, 30s), noon);
    CHECK(turn.is_idle());
    CHECK(turn.look_again == noon + 30s);
    CHECK(plan.next(fetched(11'400, 60s), noon).share.again == 10);
}

TEST_CASE("what missed its turn is fetched as fast as the budget allows")
{
    const DetailPlan plan(20h);
    auto facts = fetched(400, 40h);
    facts.last_asked = noon;
    facts.overdue = 400;
    CHECK(plan.next(facts, noon).share.again == DetailPlan::max_at_once);
    facts.overdue = 3;
    CHECK(plan.next(facts, noon).share.again == 3);
    CHECK(plan.again_before(noon) == noon - 19h);
}

TEST_CASE("a queue of which all are postponed is looked at when the first of them is due")
{
    const DetailPlan plan(20h);
    mirror::DetailFacts facts;
    facts.rows = facts.behind = 5;
    facts.next_ready = noon + 4min;
    CHECK(plan.next(facts, noon).look_again == noon + 4min);
    facts.next_ready = noon + 4h;
    CHECK(plan.next(facts, noon).look_again == noon + 15min);
    facts.next_ready.reset();
    CHECK(plan.next(facts, noon).look_again == noon + 15min);
}

TEST_CASE("a clock that was set back makes nothing due and keeps nothing asleep")
{
    const DetailPlan plan(20h);
    auto facts = fetched(19, -100h);
    const auto turn = plan.next(facts, noon);
    CHECK(turn.is_idle());
    CHECK(turn.look_again > noon);
    CHECK(turn.look_again <= noon + 15min);
}

TEST_CASE("what a time for all rows costs is told in requests a minute")
{
    CHECK(DetailPlan(20h).needed_per_minute(11'400) == 10);
    CHECK(DetailPlan(20h).needed_per_minute(0) == 0);
}

#include "budget/limiter.hpp"
#include "runtime/async/task_group.hpp"
#include "support/catch.hpp"
#include "support/simulated_clock.hpp"

#include <boost/asio/io_context.hpp>

namespace shelfd::budget {
namespace {

using namespace std::chrono_literals;

struct StatusBench {
    asio::io_context loop;
    SimulatedClock clock{loop};
    TaskGroup tasks{loop.get_executor()};
    std::unique_ptr<Limiter> limiter;

    explicit StatusBench(std::uint32_t per_minute, std::uint32_t in_flight = 8, std::uint32_t leave = 0)
    {
        auto opened = Limiter::open({per_minute, in_flight, "", leave}, clock, "boot-1");
        REQUIRE(opened);
        limiter = std::move(*opened);
    }

    asio::awaitable<void> send(int count, Flow* flow, AnswerFacts facts = {})
    {
        for (int i = 0; i < count; ++i) {
            const auto permit = co_await limiter->acquire(Purpose::incremental, flow);
            limiter->observe(permit, facts);
        }
    }

    asio::awaitable<void> hold(Flow* flow, Duration time)
    {
        const auto permit = co_await limiter->acquire(Purpose::incremental, flow);
        co_await clock.sleep_for(time);
    }
};

TEST_CASE("a flow shows since when its requests wait for the limit, and no longer once they are sent")
{
    StatusBench bench(10);
    Flow flow;
    const auto wait = flow.wait();
    bench.clock.run(bench.send(10, &flow));
    CHECK(wait->requests == 0);
    CHECK_FALSE(bench.limiter->status().next_slot);
    bench.clock.advance_by(20s);
    const auto begun = bench.clock.now();
    bench.tasks.spawn(bench.send(2, &flow));
    bench.clock.settle();
    CHECK(wait->requests == 1);
    CHECK(wait->since == begun);
    const auto next = bench.limiter->status().next_slot;
    REQUIRE(next);
    CHECK(*next > begun + 39s);
    CHECK(*next < begun + 41s);
    bench.clock.advance_by(50s);
    bench.clock.settle();
    CHECK(wait->requests == 0);
}

TEST_CASE("a request that waits for the end of another one does not wait for the limit")
{
    StatusBench bench(100, 1);
    Flow flow;
    bench.tasks.spawn(bench.hold(&flow, 10s));
    bench.tasks.spawn(bench.hold(&flow, 10s));
    bench.clock.settle();
    CHECK(bench.limiter->status().waiting == 1);
    CHECK(flow.wait()->requests == 0);
    bench.clock.advance_by(30s);
    bench.clock.settle();
}

TEST_CASE("a wait that is cancelled is over")
{
    StatusBench bench(1);
    Flow flow;
    bench.clock.run(bench.send(1, &flow));
    bench.tasks.spawn(bench.send(1, &flow));
    bench.clock.settle();
    CHECK(flow.wait()->requests == 1);
    bench.tasks.cancel();
    bench.clock.settle();
    CHECK(flow.wait()->requests == 0);
}

TEST_CASE("what is left to other programs is not used, and others who use it take nothing from us")
{
    StatusBench bench(100, 8, 20);
    CHECK(bench.limiter->status().limit == 80U);
    CHECK(bench.limiter->status().configured == 100U);
    CHECK(bench.limiter->status().narrowing == Narrowing::left);
    Flow flow;
    bench.tasks.spawn(bench.send(100, &flow));
    bench.clock.settle();
    CHECK(bench.limiter->status().used == 80);
    CHECK(flow.wait()->requests == 1);
    bench.clock.advance_by(61s);
    bench.clock.settle();
    CHECK(bench.limiter->status().used == 20);
    bench.clock.advance_by(61s);

    // Others have sent 15 requests, then 35.
    AnswerFacts facts;
    facts.status = 200;
    facts.limit = 100;
    for (const auto& [others, ours] : {std::pair(15U, 80U), std::pair(35U, 65U)}) {
        facts.remaining = 100 - others - 1;
        bench.clock.run(bench.send(1, &flow, facts));
        CHECK(bench.limiter->status().foreign == others);
        bench.tasks.spawn(bench.send(100, &flow));
        bench.clock.settle();
        CHECK(bench.limiter->status().used == ours);
        bench.tasks.cancel();
        bench.clock.settle();
        bench.clock.advance_by(122s);
    }

    // Of a limit that the service narrows, at least one request a minute is ours.
    facts.limit = 10;
    facts.remaining = std::nullopt;
    bench.clock.run(bench.send(1, &flow, facts));
    CHECK(bench.limiter->status().limit == 1U);
    bench.limiter->reconfigure({100, 8, "", 0});
    CHECK(bench.limiter->status().limit == 10U);
}

TEST_CASE("the status says who narrowed the limit")
{
    StatusBench bench(100);
    CHECK(bench.limiter->status().narrowing == Narrowing::none);
    AnswerFacts named;
    named.status = 200;
    named.limit = 60;
    bench.clock.run(bench.send(1, nullptr, named));
    CHECK(bench.limiter->status().narrowing == Narrowing::named);
    CHECK(bench.limiter->status().limit == 60U);
    CHECK(bench.limiter->status().configured == 100U);
    CHECK(bench.limiter->status().named == 60U);
    CHECK(bench.limiter->status().left == 0);

    // Both at a time are two reasons: of what the service names, a part is left to others.
    StatusBench left(100, 8, 20);
    CHECK_FALSE(left.limiter->status().named);
    CHECK(left.limiter->status().left == 20);
    named.limit = 10;
    left.clock.run(left.send(1, nullptr, named));
    CHECK(left.limiter->status().narrowing == Narrowing::named);
    CHECK(left.limiter->status().named == 10U);
    CHECK(left.limiter->status().left == 9);
    CHECK(left.limiter->status().limit == 1U);

    StatusBench other(100);
    AnswerFacts shared;
    shared.status = 200;
    shared.limit = 100;
    shared.remaining = 59;
    other.clock.run(other.send(1, nullptr, shared));
    CHECK(other.limiter->status().narrowing == Narrowing::shared);
    CHECK(other.limiter->status().foreign == 40);

    StatusBench refused(100);
    AnswerFacts well;
    well.status = 200;
    refused.clock.run(refused.send(50, nullptr, well));
    AnswerFacts no_more;
    no_more.status = 429;
    refused.clock.run(refused.send(1, nullptr, no_more));
    CHECK(refused.limiter->status().narrowing == Narrowing::learned);
    REQUIRE(refused.limiter->status().narrowed_until);
    CHECK(*refused.limiter->status().narrowed_until > refused.clock.now() + 59min);
}

}  // namespace
}  // namespace shelfd::budget

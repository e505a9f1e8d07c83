#include "sync/worker/poll_slots.hpp"

#include "support/catch.hpp"
#include "support/simulated_clock.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/detached.hpp>

#include <memory>
#include <utility>
#include <vector>

using namespace shelfd;
using namespace shelfd::sync;
using namespace std::chrono_literals;

namespace {

struct Table {
    Table()
    {
        resource.name = "recipes";
        report.summary.as_of = clock.now();
        report.summary.rows = 1000;
    }

    // How many bulk requests may begin now.
    int bulk_requests()
    {
        std::vector<budget::Permit> permits;
        int granted = 0;
        bool waits = false;
        while (!waits && granted < 100) {
            waits = true;
            auto ask = [this, &permits, &waits]() -> boost::asio::awaitable<void> {
                permits.push_back(co_await limiter->acquire(budget::Purpose::full));
                waits = false;
            };
            boost::asio::co_spawn(loop, ask, boost::asio::bind_cancellation_slot(stop.slot(), boost::asio::detached));
            clock.settle();
            granted += waits ? 0 : 1;
        }
        stop.emit(boost::asio::cancellation_type::terminal);
        clock.settle();
        for (auto& permit : permits) {
            permit.give_back();
        }
        return granted;
    }

    boost::asio::io_context loop;
    SimulatedClock clock{loop};
    boost::asio::cancellation_signal stop;
    std::unique_ptr<budget::Limiter> limiter =
        std::move(*budget::Limiter::open({.per_minute = 40, .in_flight = 80, .log_path = ""}, clock, "boot"));
    config::Resource resource;
    ResourceReport report;
    PollSlots slots{*limiter, resource, 100};
};

Round round_of(PassKind kind)
{
    Round round;
    round.passes.emplace_back().kind = kind;
    round.line.purpose = kind == PassKind::incremental ? budget::Purpose::incremental : budget::Purpose::full;
    return round;
}

}  // namespace

TEST_CASE("a table whose changes are polled keeps slots of the limit free until it is polled")
{
    Table table;
    const auto all = table.bulk_requests();
    REQUIRE(all > 10);
    table.resource.incremental.emplace();
    table.slots.reserve(table.clock.boot_now(), table.report, 15min);
    CHECK(table.bulk_requests() == all - 2);
    SECTION("for each poll of the minute, as many as the last one took")
    {
        table.report.last_pass = PassReport{};
        table.report.last_pass->kind = PassKind::incremental;
        table.report.last_pass->spent.add(budget::Reason::page, 3);
        table.slots.reserve(table.clock.boot_now(), table.report, 30s);
        CHECK(table.bulk_requests() == all - 6);
    }
    SECTION("what is released is free")
    {
        table.slots.release();
        CHECK(table.bulk_requests() == all);
    }
}

TEST_CASE("a long list that is walked as a whole keeps no slots free, a short one does")
{
    Table table;
    const auto all = table.bulk_requests();
    table.slots.reserve(table.clock.boot_now(), table.report, 15min);
    CHECK(table.bulk_requests() == all);
    table.report.summary.rows = 200;
    table.slots.reserve(table.clock.boot_now(), table.report, 15min);
    CHECK(table.bulk_requests() == all - 2);
}

TEST_CASE("a poll is an ordinary pass for changes, or over a list of two pages")
{
    Table table;
    table.resource.incremental.emplace();
    CHECK(table.slots.is_poll(round_of(PassKind::incremental), table.report));
    CHECK_FALSE(table.slots.is_poll(round_of(PassKind::full), table.report));
    table.report.summary.rows = 200;
    CHECK(table.slots.is_poll(round_of(PassKind::full), table.report));
    auto between = round_of(PassKind::incremental);
    between.ordinary = false;
    CHECK_FALSE(table.slots.is_poll(between, table.report));
}

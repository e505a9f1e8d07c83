#include "schedule/schedule.hpp"

#include "support/catch.hpp"

using namespace shelfd;
using schedule::Schedule;
using namespace std::chrono_literals;

namespace {

const auto noon = *Instant::from_rfc3339("2026-03-29T12:00:00Z");

}  // namespace

TEST_CASE("a resource that never ran starts within its splay")
{
    const Schedule hourly(1h, 0.1);
    CHECK(hourly.first_due(noon, std::nullopt, 0.0) == noon);
    CHECK(hourly.first_due(noon, std::nullopt, 0.5) == noon + 3min);
    CHECK(hourly.first_due(noon, std::nullopt, 0.999) < noon + 6min);
    CHECK(Schedule(1h, 0.0).first_due(noon, std::nullopt, 0.9) == noon);
}

TEST_CASE("the distance of two passes is exactly the interval")
{
    const Schedule quarterly(15min, 0.5);
    auto due = quarterly.first_due(noon, std::nullopt, 0.7);
    const auto first = due;
    for (int pass = 1; pass <= 96; ++pass) {
        due = quarterly.next_due(due, 0.01 * pass);
        CHECK(due == first + pass * Duration(15min));
    }
}

TEST_CASE("a restart between two passes keeps the phase")
{
    const Schedule quarterly(15min, 0.1);
    CHECK(quarterly.first_due(noon, noon - 5min, 0.9) == noon + 10min);
}

TEST_CASE("a missed time is caught up once, and soon")
{
    struct Row {
        const char* name;
        Duration interval;
        Duration since_last;
        double random;
        Duration expected;  // after now
    };
    const Row rows[] = {
        {"missed by a moment", 15min, 15min, 0.0, 0s},
        {"missed many times", 15min, 24h, 0.0, 0s},
        {"spread by the splay of a short interval", 1min, 1h, 0.5, 3s},
        {"spread by a minute at most", 24h, 72h, 0.5, 30s},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        const Schedule schedule(row.interval, 0.1);
        const auto due = schedule.first_due(noon, noon - row.since_last, row.random);
        CHECK(due == noon + row.expected);
        CHECK(schedule.next_due(due, row.random) == due + row.interval);
    }
}

TEST_CASE("a last start in the future, as after a clock set back, delays by no more than an interval")
{
    CHECK(Schedule(15min, 0.1).first_due(noon, noon + 24h * 365, 0.5) == noon + 15min);
}

TEST_CASE("a pass longer than the interval is followed by one at once, not by all it missed")
{
    const Schedule minutely(1min, 0.1);
    const auto finished = noon + 10min;
    CHECK(minutely.next_due(noon, 0.5) < finished);
    CHECK(minutely.next_due(finished, 0.5) == finished + 1min);
}

TEST_CASE("a table is late after three intervals, at least half an hour")
{
    CHECK(schedule::default_late_after(1s) == 30min);
    CHECK(schedule::default_late_after(10min) == 30min);
    CHECK(schedule::default_late_after(15min) == 45min);
    CHECK(schedule::default_late_after(24h) == 72h);
}

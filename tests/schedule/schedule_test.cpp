#include "schedule/schedule.hpp"

#include "support/catch.hpp"

using namespace shelfd;
using schedule::Schedule;
using namespace std::chrono_literals;

namespace {

const auto noon = *Instant::from_rfc3339("2026-03-29T12:00:00Z");

}  // namespace

TEST_CASE("a table that was never filled is due at once, and the pass after it is moved by the splay")
{
    const Schedule hourly(1h, 0.1);
    CHECK(hourly.first_due(noon, std::nullopt, 0.9) == noon);
    CHECK(hourly.second_due(noon, 0.0) == noon + 1h);
    CHECK(hourly.second_due(noon, 0.5) == noon + 57min);
    CHECK(hourly.second_due(noon, 0.999) > noon + 54min);
    CHECK(Schedule(1h, 0.0).second_due(noon, 0.9) == noon + 1h);
}

TEST_CASE("the distance of two passes is exactly the interval, however late in it they begin")
{
    const Schedule quarterly(15min, 0.5);
    auto due = noon;
    for (int pass = 1; pass <= 96; ++pass) {
        due = quarterly.next_due(due, due + std::chrono::seconds(pass));
        CHECK(due == noon + pass * Duration(15min));
    }
}

TEST_CASE("a pass asked for early, or an interval late, begins a new step")
{
    const Schedule quarterly(15min, 0.1);
    CHECK(quarterly.next_due(noon, noon - 5min) == noon + 10min);
    CHECK(quarterly.next_due(noon, noon + 20min) == noon + 35min);
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
        CHECK(schedule.next_due(due, due) == due + row.interval);
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
    const auto next = minutely.next_due(noon, noon);
    CHECK(next < finished);
    CHECK(minutely.next_due(next, finished) == finished + 1min);
}

TEST_CASE("a table is late after three intervals, at least half an hour")
{
    CHECK(schedule::default_late_after(1s) == 30min);
    CHECK(schedule::default_late_after(10min) == 30min);
    CHECK(schedule::default_late_after(15min) == 45min);
    CHECK(schedule::default_late_after(24h) == 72h);
}

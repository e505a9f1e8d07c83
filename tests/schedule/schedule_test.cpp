#include "schedule/schedule.hpp"

#include "support/catch.hpp"

#include <utility>
#include <vector>

using namespace shelfd;
using schedule::Schedule;
using namespace std::chrono_literals;

namespace {

const auto noon = *Instant::from_rfc3339("2026-03-29T12:00:00Z");

Instant at(const char* text)
{
    return Instant::from_rfc3339(text).value();
}

Schedule daily(std::vector<std::chrono::minutes> times = {3h + 30min}, double splay = 0)
{
    auto loaded = schedule::PlannedTimes::load(std::move(times), Weekdays().set(), "UTC");
    REQUIRE(loaded);
    return Schedule(*loaded, splay);
}

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

TEST_CASE("how long it is until the next pass is the interval, or the way to the next planned time")
{
    CHECK(Schedule(15min, 0.5).distance_after(noon) == Duration(15min));
    CHECK(daily().distance_after(at("2026-03-29T03:31:00Z")) == Duration(23h + 59min));
    CHECK(daily({3h, 4h}).distance_after(at("2026-03-29T03:20:00Z")) == Duration(40min));
}

TEST_CASE("the distance of two passes is exactly the interval, however late in it they begin")
{
    const Schedule quarterly(15min, 0.5);
    auto due = noon;
    for (int pass = 1; pass <= 96; ++pass) {
        due = quarterly.next_due(due, due + std::chrono::seconds(pass), 0.5);
        CHECK(due == noon + pass * Duration(15min));
    }
}

TEST_CASE("a pass asked for early, or an interval late, begins a new step")
{
    const Schedule quarterly(15min, 0.1);
    CHECK(quarterly.next_due(noon, noon - 5min, 0.5) == noon + 10min);
    CHECK(quarterly.next_due(noon, noon + 20min, 0.5) == noon + 35min);
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
        CHECK(schedule.next_due(due, due, 0.5) == due + row.interval);
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
    const auto next = minutely.next_due(noon, noon, 0.5);
    CHECK(next < finished);
    CHECK(minutely.next_due(next, finished, 0.5) == finished + 1min);
}

TEST_CASE("a table is late after three intervals, at least half an hour")
{
    CHECK(Schedule(1s, 0.1).default_late_after() == 30min);
    CHECK(Schedule(10min, 0.1).default_late_after() == 30min);
    CHECK(Schedule(15min, 0.1).default_late_after() == 45min);
    CHECK(Schedule(24h, 0.1).default_late_after() == 72h);
    CHECK(Schedule(24h, 0.1).default_proven_late_after() == 72h);
    CHECK_FALSE(Schedule(24h, 0.1).late_at(noon).has_value());
}

TEST_CASE("an interval goes on by the time that passes when the clock is set back")
{
    CHECK(Schedule(15min, 0.1).revised(noon + 10min, noon - 8h, 10min, 0.5) == noon - 8h + 10min);
}

TEST_CASE("planned: when the daemon starts, what was served waits and what was missed comes once and soon")
{
    struct Row {
        const char* name;
        std::optional<Instant> last;
        Instant now;
        double random;
        Instant due;
    };
    const auto served = at("2026-05-01T03:30:00Z");
    const Row rows[] = {
        {"never filled: at once", std::nullopt, served + 5h, 0.9, served + 5h},
        {"served today", served, served + 5h, 0.0, served + 24h},
        {"missed yesterday and today", served - 48h, served + 5h, 0.5, served + 5h + 30s},
        {"a pass asked for yesterday serves yesterday only", served - 20h, served + 5h, 0.0, served + 5h},
        {"the last start seems to lie hours ahead: it was served", served + 2h, served - 3h, 0.0, served + 24h},
        {"the last start seems to lie years ahead", served + 24h * 3650, served - 3h, 0.0, served},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        CHECK(daily({3h + 30min}, 0.1).first_due(row.now, row.last, row.random) == row.due);
    }
}

TEST_CASE("planned: a pass is delayed by the splay's share of the way to the next time, at most ten minutes")
{
    const auto planned = at("2026-05-01T03:30:00Z");
    CHECK(daily({3h + 30min}, 0.0).next_due(noon, planned - 1h, 0.999) == planned);
    CHECK(daily({3h + 30min}, 0.1).next_due(noon, planned - 1h, 0.5) == planned + 5min);
    CHECK(daily({3h + 30min}, 0.1).next_due(noon, planned - 1h, 0.999) < planned + 10min);
    CHECK(daily({3h + 30min, 3h + 40min}, 0.1).next_due(noon, planned - 1h, 0.5) == planned + 30s);
    CHECK(daily({3h + 30min}, 0.1).second_due(planned, 0.5) == planned + 24h + 5min);
}

TEST_CASE("planned: each time is served by one pass, however early, late or long")
{
    const auto planned = at("2026-05-01T03:30:00Z");
    const auto schedule = daily({3h + 30min, 4h}, 0.1);
    const auto tomorrow = planned + 24h;
    CHECK(schedule.next_due(planned + 1min, planned + 1min, 0.0) == planned + 30min);
    INFO("asked for before its time");
    CHECK(schedule.next_due(planned + 1min, planned - 1h, 0.9) == planned + 1min);
    INFO("asked for between its time and its delay");
    CHECK(schedule.next_due(planned + 2min, planned + 1min, 0.0) == planned + 30min);
    INFO("late beyond both");
    CHECK(schedule.next_due(planned + 1min, planned + 5h, 0.0) == tomorrow);
}

TEST_CASE("planned: a clock set back repeats nothing within a day, and begins the calendar anew beyond")
{
    const auto served = at("2026-05-01T03:30:00Z");
    const auto due = served + 24h;
    for (const auto back : {1h, 5h, 12h, 23h}) {
        CHECK(daily().revised(due, served + 30min - back, 24h, 0.0) == due);
    }
    CHECK(daily().revised(due, served - 24h * 3650, 24h, 0.0) == served - 24h * 3650 + 24h);
    const auto waiting = daily({3h + 30min}, 0.1);
    CHECK(waiting.revised(served + 5min, served + 1min, 4min, 0.9) == served + 5min);
}

TEST_CASE("planned: a table is late two hours past the next planned time, a proof after three distances and two hours")
{
    const auto planned = at("2026-05-01T03:30:00Z");
    CHECK(daily().late_at(planned) == planned + 26h);
    CHECK(daily().late_at(planned - 1s) == planned + 2h);
    CHECK(daily().default_late_after() == 26h);
    CHECK(daily().default_proven_late_after() == 74h);
    CHECK(daily().pace() == 1h);
}

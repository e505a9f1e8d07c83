#include "schedule/planned_times.hpp"

#include "support/catch.hpp"

#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

using namespace shelfd;
using namespace shelfd::schedule;
using namespace std::chrono_literals;

namespace {

Weekdays every_day()
{
    return Weekdays().set();
}

std::vector<std::chrono::minutes> in_minutes(const std::vector<int>& times)
{
    std::vector<std::chrono::minutes> minutes;
    for (const int time : times) {
        minutes.emplace_back(time);
    }
    return minutes;
}

PlannedTimes plan(std::vector<std::string> times, const std::string& zone, Weekdays days = every_day())
{
    std::vector<std::chrono::minutes> parsed;
    for (const auto& time : times) {
        parsed.push_back(parse_time_of_day(time).value());
    }
    auto loaded = PlannedTimes::load(parsed, days, zone);
    REQUIRE(loaded);
    return *loaded;
}

Instant at(const char* text)
{
    return Instant::from_rfc3339(text).value();
}

// What the C library says the clocks of the zone show, as minutes since 1970 of a calendar without zones. It has its
// own reader of time zones, so it can disagree with ours.
class LocalClock {
public:
    explicit LocalClock(const std::string& zone)
    {
        ::setenv("TZ", zone.c_str(), 1);
        ::tzset();
    }
    LocalClock(const LocalClock&) = delete;
    LocalClock& operator=(const LocalClock&) = delete;
    ~LocalClock()
    {
        ::unsetenv("TZ");
        ::tzset();
    }
    static std::int64_t reading(std::int64_t minute)
    {
        const std::time_t seconds = minute * 60;
        std::tm local{};
        ::localtime_r(&seconds, &local);
        return minute + local.tm_gmtoff / 60;
    }
};

// Every planned time in [begin, end), minutes since 1970, found by looking at the clock each minute: a plan is due when
// the clock first shows it or anything later.
std::vector<std::int64_t> scan(const std::string& zone, const std::vector<int>& times, Weekdays days,
                               std::int64_t begin, std::int64_t end)
{
    const LocalClock clock(zone);
    constexpr int day = 24 * 60;
    std::vector<std::int64_t> due;
    // Begun two days early, so that a clock set back just before `begin` is known.
    auto latest = LocalClock::reading(begin - 2 * day);
    for (auto minute = begin - 2 * day + 1; minute < end; ++minute) {
        const auto reading = LocalClock::reading(minute);
        bool is_due = false;
        for (; latest < reading; ++latest) {
            const auto shown = latest + 1;
            const auto weekday = static_cast<std::size_t>((shown / day + 3) % 7);  // 1970-01-01 was a Thursday
            for (const int time : times) {
                is_due = is_due || (shown % day == time && days.test(weekday));
            }
        }
        if (is_due && minute >= begin) {
            due.push_back(minute);
        }
    }
    return due;
}

}  // namespace

TEST_CASE("a plan needs a time, a day and a zone that exists")
{
    CHECK_FALSE(PlannedTimes::load({}, every_day(), "UTC"));
    CHECK_FALSE(PlannedTimes::load({3h}, Weekdays(), "UTC"));
    const auto unknown = PlannedTimes::load({3h}, every_day(), "Europe/Brusels");
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().kind() == ErrorKind::config);
    CHECK(unknown.error().text().find("Europe/Brusels") != std::string::npos);
}

TEST_CASE("the next planned time is strictly later")
{
    struct Row {
        const char* name;
        std::vector<std::string> times;
        const char* zone;
        const char* now;
        const char* next;
    };
    const Row rows[] = {
        {"later today", {"03:30"}, "UTC", "2026-05-01T03:29:59Z", "2026-05-01T03:30:00Z"},
        {"now is not later", {"03:30"}, "UTC", "2026-05-01T03:30:00Z", "2026-05-02T03:30:00Z"},
        {"the earlier of two, whatever their order",
         {"20:00", "08:00"},
         "UTC",
         "2026-05-01T07:00:00Z",
         "2026-05-01T08:00:00Z"},
        {"over midnight, east", {"00:10"}, "Pacific/Kiritimati", "2026-05-01T09:00:00Z", "2026-05-01T10:10:00Z"},
        {"over midnight, west", {"23:50"}, "Pacific/Pago_Pago", "2026-05-01T10:40:00Z", "2026-05-01T10:50:00Z"},
        {"02:30 in the gap: at its end", {"02:30"}, "Europe/Brussels", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z"},
        {"the day after the gap: 02:30 again",
         {"02:30"},
         "Europe/Brussels",
         "2026-03-29T01:00:00Z",
         "2026-03-30T00:30:00Z"},
        {"02:30 twice: the first", {"02:30"}, "Europe/Brussels", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z"},
        {"02:30 twice: not the second", {"02:30"}, "Europe/Brussels", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"},
        {"a day that never was", {"12:00"}, "Pacific/Apia", "2011-12-29T23:00:00Z", "2011-12-30T10:00:00Z"},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        CHECK(plan(row.times, row.zone).next_after(at(row.now)).to_short_text() == row.next);
    }
}

TEST_CASE("only the chosen weekdays count, in the zone's calendar")
{
    const auto mondays = plan({"00:30"}, "Asia/Tokyo", Weekdays(1));
    CHECK(mondays.next_after(at("2026-11-21T12:00:00Z")).to_short_text() == "2026-11-22T15:30:00Z");
    CHECK(mondays.next_after(at("2026-11-22T15:30:00Z")).to_short_text() == "2026-11-29T15:30:00Z");
}

TEST_CASE("planned times are those that someone watching the local clock each minute would find")
{
    const char* const zones[] = {"UTC",          "Europe/Brussels",   "America/New_York", "Australia/Lord_Howe",
                                 "Asia/Kolkata", "America/Sao_Paulo", "Pacific/Apia",     "Africa/Casablanca"};
    const std::vector<int> times = {0, 10, 2 * 60 + 30, 3 * 60, 23 * 60 + 59};
    const std::vector<Weekdays> choices = {every_day(), Weekdays(0b1000001)};  // Mondays and Sundays
    for (const std::string zone : zones) {
        for (const int year : {2011, 2017, 2026}) {
            INFO(zone << " " << year);
            const auto begin = at((std::to_string(year) + "-01-01T00:00:00Z").c_str()).seconds() / 60;
            const auto end = at((std::to_string(year + 1) + "-01-01T00:00:00Z").c_str()).seconds() / 60;
            const auto& days = choices[static_cast<std::size_t>(year) % 2];
            const auto loaded = PlannedTimes::load(in_minutes(times), days, zone);
            REQUIRE(loaded);
            const auto expected = scan(zone, times, days, begin, end);
            REQUIRE(expected.size() > 200);
            auto now = Instant::from_seconds(begin * 60 - 1);
            for (const auto minute : expected) {
                now = loaded->next_after(now);
                if (now.seconds() != minute * 60) {
                    FAIL("expected " << Instant::from_seconds(minute * 60).to_short_text() << ", found "
                                     << now.to_short_text());
                }
            }
            CHECK(loaded->next_after(now).seconds() >= end * 60);
        }
    }
}

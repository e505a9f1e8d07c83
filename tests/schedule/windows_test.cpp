#include "schedule/windows.hpp"

#include "support/catch.hpp"

#include <string>

using namespace shelfd;
using namespace shelfd::schedule;
using namespace std::chrono_literals;

namespace {

Windows cut(const char* since, Duration step, const char* zone)
{
    auto windows = Windows::load(since, step, zone);
    if (!windows) {
        FAIL(windows.error().text());
    }
    return *windows;
}

Instant at(const char* text)
{
    return Instant::from_rfc3339(text).value();
}

constexpr auto one_day = 24h;

}  // namespace

TEST_CASE("a day has 23 hours when clocks are set forward, and 25 when they are set back")
{
    const auto days = cut("2026-01-01", one_day, "Europe/Brussels");
    const auto spring = days.at(at("2026-03-29T10:00:00Z"));
    CHECK(spring.from == at("2026-03-28T23:00:00Z"));
    CHECK(spring.to == at("2026-03-29T22:00:00Z"));
    const auto autumn = days.at(at("2026-10-25T10:00:00Z"));
    CHECK(autumn.to - autumn.from == 25h);
    CHECK(days.day_of(autumn.from) == "2026-10-25");
    CHECK(days.day_of(autumn.to - Duration(1)) == "2026-10-25");
    CHECK(days.begin_of("2026-10-25") == autumn.from);
}

TEST_CASE("steps of whole days go by the calendar, all others by the clock")
{
    const auto weeks = cut("2026-03-02", 7 * one_day, "Europe/Brussels");
    CHECK(weeks.window(3).from == at("2026-03-22T23:00:00Z"));
    CHECK(weeks.window(3).to - weeks.window(3).from == 7 * one_day - 1h);
    const auto hours = cut("2026-03-02", 6h, "Europe/Brussels");
    CHECK(hours.window(0).from == at("2026-03-01T23:00:00Z"));
    CHECK(hours.window(4 * 30).from == at("2026-03-31T23:00:00Z"));
    CHECK(cut("2026-03-02T06:00:00Z", 90min, "UTC").window(2).from == at("2026-03-02T09:00:00Z"));
    // By the calendar a window begins with a day, whatever `since` says of the hours.
    CHECK(cut("2026-03-02T06:00:00Z", one_day, "UTC").since() == at("2026-03-02T00:00:00Z"));
}

TEST_CASE("a day that a zone leaves out is a window without a moment in it")
{
    const auto days = cut("2011-12-01", one_day, "Pacific/Apia");
    const auto missing = days.window(29);
    CHECK(missing.is_empty());
    CHECK(days.window(28).to == missing.from);
    CHECK(days.window(30).from == missing.to);
    CHECK(days.at(missing.from).number == 30);
}

TEST_CASE("every instant lies in exactly one window, in every zone and whatever its clocks do")
{
    const auto zone = GENERATE("UTC", "Europe/Brussels", "America/New_York", "America/St_Johns", "America/Sao_Paulo",
                               "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca", "Asia/Kathmandu",
                               "America/Scoresbysund", "Asia/Tehran");
    const auto step =
        GENERATE(Duration(1h), Duration(5h), Duration(one_day), Duration(7 * one_day), Duration(31 * one_day));
    const auto windows = cut("2006-02-27", step, zone);
    INFO(zone << " " << format_duration(step));
    auto before = windows.window(0);
    const auto last = windows.at(at("2013-01-01T00:00:00Z")).number;
    std::int64_t broken = 0;
    for (std::int64_t number = 1; number <= last; ++number) {
        const auto window = windows.window(number);
        broken += window.from == before.to && window.from <= window.to ? 0 : 1;
        if (!window.is_empty()) {
            broken += windows.at(window.from) == window && windows.at(window.to - Duration(1)) == window ? 0 : 1;
        }
        before = window;
    }
    CHECK(broken == 0);
    CHECK(windows.at(at("1999-01-01T00:00:00Z")).number == 0);
}

TEST_CASE("what clocks show is the first instant at which those of the zone do")
{
    const auto days = cut("2026-01-01", one_day, "Europe/Brussels");
    CHECK(days.instant_of("2026-07-01T12:00:00") == at("2026-07-01T10:00:00Z"));
    CHECK(days.instant_of("2026-01-01 12:00:00.250") == at("2026-01-01T11:00:00.25Z"));
    CHECK(days.instant_of("2026-10-25T02:30:00") == at("2026-10-25T00:30:00Z"));
    CHECK(days.instant_of("2026-03-29T02:30:00") == at("2026-03-29T01:00:00Z"));
    CHECK(days.instant_of("2026-07-01") == at("2026-06-30T22:00:00Z"));
    CHECK(days.instant_of("2026-07-01T12:00:00Z") == at("2026-07-01T12:00:00Z"));
    for (const auto* text : {"", "2026-07-01T", "2026-07-01T25:00:00", "2026-02-29T12:00:00", "noon"}) {
        CAPTURE(text);
        CHECK_FALSE(days.instant_of(text));
        CHECK_FALSE(is_clock_time(text));
    }
    CHECK(is_clock_time("2026-07-01 12:00:00"));
    CHECK_FALSE(is_clock_time("2026-07-01T12:00:00+02:00"));
}

TEST_CASE("a day that is shown can be read again, even of the years that four digits do not tell")
{
    for (const auto* zone : {"Pacific/Kiritimati", "Pacific/Pago_Pago"}) {
        const auto days = cut("2026-01-01", one_day, zone);
        CHECK(days.day_of(Instant::from_seconds(253'402'300'800)) == "9999-12-31");
        CHECK(days.day_of(Instant::from_seconds(-62'135'596'800 - 86'400)) == "0001-01-01");
        for (const auto seconds : {-62'135'596'800L, 0L, 253'402'300'799L, 253'402'300'800L}) {
            CHECK(days.begin_of(days.day_of(Instant::from_seconds(seconds))));
        }
    }
}

TEST_CASE("what cannot be cut is refused with its reason")
{
    CHECK(Windows::load("2023-02-29", one_day, "UTC").error().text().find("neither a day") != std::string::npos);
    CHECK(Windows::load("soon", one_day, "UTC").error().kind() == ErrorKind::config);
    CHECK(Windows::load("2023-01-01", 59min, "UTC").error().text().find("an hour") != std::string::npos);
    CHECK(Windows::load("2023-01-01", one_day, "Europe/Atlantis").error().text().find("unknown on this machine") !=
          std::string::npos);
    CHECK(is_day("2024-02-29"));
    CHECK_FALSE(is_day("2024-2-29"));
    CHECK_FALSE(is_day("2024-02-29T00:00:00Z"));
}

#include "schedule/quiet_hours.hpp"
#include "support/catch.hpp"

using namespace shelfd;
using namespace shelfd::schedule;
using namespace std::chrono_literals;

namespace {

Instant at(const char* text)
{
    return Instant::from_rfc3339(text).value();
}

QuietHours quiet(const std::vector<std::string>& spans, const std::string& zone = "Europe/Brussels")
{
    std::vector<TimeSpan> parsed;
    for (const auto& span : spans) {
        parsed.push_back(parse_time_span(span).value());
    }
    auto loaded = QuietHours::load(parsed, zone);
    REQUIRE(loaded);
    return *loaded;
}

}  // namespace

TEST_CASE("quiet hours begin with their first minute and end with their last, across midnight, too")
{
    const auto night = quiet({"22:00-06:00"});  // 21:00 to 05:00 UTC in winter
    CHECK(night.end_after(at("2024-01-10T20:59:59Z")) == at("2024-01-10T20:59:59Z"));
    CHECK(night.end_after(at("2024-01-10T21:00:00Z")) == at("2024-01-11T05:00:00Z"));
    CHECK(night.end_after(at("2024-01-11T04:59:59Z")) == at("2024-01-11T05:00:00Z"));
    CHECK(night.end_after(at("2024-01-11T05:00:00Z")) == at("2024-01-11T05:00:00Z"));
    CHECK(night.longest() == 8h);
    CHECK_FALSE(night.is_empty());
}

TEST_CASE("without quiet hours every time is as it was")
{
    const QuietHours none;
    CHECK(none.is_empty());
    CHECK(none.end_after(at("2024-01-10T21:00:00Z")) == at("2024-01-10T21:00:00Z"));
    CHECK(none.after(at("2024-01-10T21:00:00Z"), 1h) == at("2024-01-10T22:00:00Z"));
    CHECK(none.longest() == 0s);
}

TEST_CASE("spans that overlap or touch are one, and those that fill the day are refused")
{
    const auto lunch = quiet({"11:30-13:00", "12:00-14:00", "14:00-14:30", "19:00-21:00"});
    CHECK(lunch.end_after(at("2024-01-10T11:00:00Z")) == at("2024-01-10T13:30:00Z"));
    CHECK(lunch.end_after(at("2024-01-10T18:30:00Z")) == at("2024-01-10T20:00:00Z"));
    CHECK(lunch.end_after(at("2024-01-10T14:00:00Z")) == at("2024-01-10T14:00:00Z"));
    CHECK(lunch.longest() == 3h);
    const auto all = QuietHours::load({*parse_time_span("06:00-22:00"), *parse_time_span("21:00-07:00")}, "UTC");
    REQUIRE_FALSE(all);
    CHECK(all.error().text() == "`quiet` leaves no time of the day for requests");
    CHECK_FALSE(QuietHours::load({*parse_time_span("06:00-22:00")}, "Europe/Nowhere"));
}

TEST_CASE("an age counts only what is not quiet")
{
    const auto night = quiet({"22:00-06:00"});
    CHECK(night.after(at("2024-01-10T12:00:00Z"), 45min) == at("2024-01-10T12:45:00Z"));
    CHECK(night.after(at("2024-01-10T20:30:00Z"), 45min) == at("2024-01-11T05:15:00Z"));
    CHECK(night.after(at("2024-01-10T23:00:00Z"), 45min) == at("2024-01-11T05:45:00Z"));
    CHECK(night.after(at("2024-01-10T20:00:00Z"), 18h) == at("2024-01-12T06:00:00Z"));
}

TEST_CASE("quiet hours follow the clock of the zone when it is changed")
{
    const auto night = quiet({"02:30-05:00"});
    // 31 March 2024: 02:00 is followed by 03:00, at 01:00 UTC.
    CHECK(night.end_after(at("2024-03-31T00:59:59Z")) == at("2024-03-31T00:59:59Z"));
    CHECK(night.end_after(at("2024-03-31T01:00:00Z")) == at("2024-03-31T03:00:00Z"));
    // 27 October 2024: 02:30 is shown twice, first at 00:30 UTC.
    CHECK(night.end_after(at("2024-10-27T00:30:00Z")) == at("2024-10-27T04:00:00Z"));
    CHECK(night.end_after(at("2024-10-27T01:15:00Z")) == at("2024-10-27T04:00:00Z"));
    // Skipped as a whole.
    const auto gone = quiet({"02:15-02:45"});
    CHECK(gone.end_after(at("2024-03-31T01:00:00Z")) == at("2024-03-31T01:00:00Z"));
    CHECK(gone.end_after(at("2024-03-31T00:59:00Z")) == at("2024-03-31T00:59:00Z"));
}

TEST_CASE("a span of time is two different times of day")
{
    const auto span = parse_time_span("22:00-06:30");
    REQUIRE(span);
    CHECK(span->from == 22h);
    CHECK(span->to == 6h + 30min);
    CHECK(format_time_span(*span) == "22:00-06:30");
    for (const auto* text :
         {"", "22:00", "22:00-", "22:00-22:00", "22:00-24:00", "22-06", "22:00 - 06:00", "a-b", "22:00-06:00-07:00"}) {
        INFO(text);
        CHECK_FALSE(parse_time_span(text));
    }
}

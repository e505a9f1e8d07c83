#include "base/instant.hpp"

#include "support/catch.hpp"
#include "support/http_date.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

namespace shelfd {
namespace {

using namespace std::chrono_literals;

}  // namespace

TEST_CASE("an RFC 3339 time is read to the microsecond and written in one width")
{
    struct Row {
        const char* text;
        const char* normal;
    };
    const std::vector<Row> rows = {
        {"2024-01-06T06:00:00Z", "2024-01-06T06:00:00.000000Z"},
        {"2024-01-06T06:00:00.999999Z", "2024-01-06T06:00:00.999999Z"},
        {"2024-01-06T06:00:00.9999999Z", "2024-01-06T06:00:00.999999Z"},
        {"2024-01-06T06:00:00.5+02:00", "2024-01-06T04:00:00.500000Z"},
        {"2024-01-06T06:00:00+0000", "2024-01-06T06:00:00.000000Z"},
        {"2024-01-06T06:00:00.5-0330", "2024-01-06T09:30:00.500000Z"},
        {"2024-01-06T06:00:00+02", "2024-01-06T04:00:00.000000Z"},
        {"2024-01-06T06:00:00-05:30", "2024-01-06T11:30:00.000000Z"},
        {"2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000000Z"},
        {"1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"},
        {"0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z"},
        {"9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.text);
        const auto instant = Instant::from_rfc3339(row.text);
        REQUIRE(instant.has_value());
        CHECK(instant->to_text() == row.normal);
        CHECK(Instant::from_rfc3339(instant->to_text()) == instant);
    }
}

TEST_CASE("what is no RFC 3339 time of the years 1 to 9999 is nothing")
{
    for (const auto* text : {"",
                             "2024-01-06",
                             "2024-01-06T06:00:00",
                             "2024-01-06 06:00:00Z",
                             "2024-02-30T00:00:00Z",
                             "2023-02-29T00:00:00Z",
                             "2024-13-01T00:00:00Z",
                             "2024-01-06T24:00:00Z",
                             "2024-01-06T06:60:00Z",
                             "2024-01-06T06:00:00.Z",
                             "2024-01-06T06:00:00+020",
                             "2024-01-06T06:00:00+02:",
                             "2024-01-06T06:00:00+2400",
                             "2024-01-06T06:00:00+24:00",
                             "2024-01-06T06:00:00Zx",
                             "24-01-06T06:00:00Z",
                             "0000-01-01T00:00:00Z",
                             "0001-01-01T00:00:00+00:01",
                             "9999-12-31T23:59:59-00:01",
                             "-001-01-01T00:00:00Z",
                             "2024-01-06T06:00:00+",
                             "+2024-01-06T06:00:00Z",
                             "2024-1-6T06:00:00Z"}) {
        CAPTURE(text);
        CHECK(!Instant::from_rfc3339(text).has_value());
    }
}

TEST_CASE("text order is time order, before 1970, too")
{
    std::mt19937_64 random(7);
    const auto first = Instant::from_rfc3339("0001-01-01T00:00:00Z")->micros();
    const auto last = Instant::from_rfc3339("9999-12-31T23:59:59.999999Z")->micros();
    std::uniform_int_distribution<std::int64_t> any(first, last);
    for (int i = 0; i < 2000; ++i) {
        const auto a = Instant::from_micros(any(random));
        const auto b = Instant::from_micros(any(random));
        CHECK((a < b) == (a.to_text() < b.to_text()));
        CHECK(Instant::from_rfc3339(a.to_text()) == a);
    }
    CHECK(Instant::from_micros(-1).seconds() == -1);
    CHECK(Instant::from_micros(-1'000'000).seconds() == -1);
    CHECK(Instant::from_micros(1'999'999).seconds() == 1);
    CHECK(Instant::from_micros(-1).to_short_text() == "1969-12-31T23:59:59Z");
}

TEST_CASE("an HTTP date is read in all three forms of RFC 9110")
{
    const auto expected = Instant::from_seconds(784'111'777);
    for (const auto* text :
         {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"}) {
        CAPTURE(text);
        CHECK(Instant::from_http_date(text) == expected);
    }
    CHECK(Instant::from_http_date("Thu Nov 16 08:49:37 1995") == Instant::from_rfc3339("1995-11-16T08:49:37Z"));
    CHECK(Instant::from_http_date("Monday, 01-Jan-24 00:00:00 GMT") == Instant::from_rfc3339("2024-01-01T00:00:00Z"));
    for (int days = 0; days < 800; ++days) {
        const auto at = Instant::from_rfc3339("2023-12-30T23:59:58Z").value() + days * Duration(24h);
        CHECK(Instant::from_http_date(http_date(at)) == at);
    }
    for (const auto* text :
         {"", "x", "Sun", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
          "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "784111777",
          "Sun, 06 Nov 1994 08:49:37 GMT ", "Sat, 01 Jan 0000 00:00:00 GMT", "Sat Jan  1 00:00:00 0000"}) {
        CAPTURE(text);
        CHECK(!Instant::from_http_date(text).has_value());
    }
}

TEST_CASE("a duration is read as people write it, largest unit first")
{
    struct Row {
        const char* text;
        Duration value;
        const char* normal;
    };
    const std::vector<Row> rows = {
        {"90s", 90s, "1m30s"},     {"15m", 15min, "15m"},
        {"1h30m", 90min, "1h30m"}, {"7d", 168h, "7d"},
        {"2w", 336h, "14d"},       {"250ms", 250ms, "250ms"},
        {"1d12h", 36h, "1d12h"},   {"1w1d1h1m1s1ms", 192h + 1h + 61s + 1ms, "8d1h1m1s1ms"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.text);
        CHECK(parse_duration(row.text) == row.value);
        CHECK(format_duration(row.value) == row.normal);
        CHECK(parse_duration(format_duration(row.value)) == row.value);
    }
    for (const auto* text :
         {"", "15", "m", "1.5h", "-1h", "1h 30m", "30m1h", "1m1m", "1y", "1H", "h1", "1hm", "9999999999s", "999999999w",
          "99999999999999999999s", "300000d99999999m", "50020w500263592m"}) {
        CAPTURE(text);
        CHECK(!parse_duration(text).has_value());
    }
    CHECK(format_duration(Duration(0)) == "0s");
}

TEST_CASE("for people a duration has one unit, rounded down")
{
    const std::vector<std::pair<Duration, const char*>> rows = {
        {0s, "0 s"}, {119s, "119 s"}, {2min, "2 min"}, {119min, "119 min"}, {2h, "2 h"}, {47h, "47 h"}, {48h, "2 d"}};
    for (const auto& [duration, text] : rows) {
        CHECK(describe_duration(duration) == text);
    }
}

}  // namespace shelfd

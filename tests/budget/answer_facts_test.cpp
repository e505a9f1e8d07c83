#include "budget/answer_facts.hpp"

#include "support/catch.hpp"

#include <map>
#include <string>

namespace shelfd::budget {

using namespace std::chrono_literals;

TEST_CASE("rate-limit headers are read in every spelling, and nonsense is absent")
{
    using Headers = std::map<std::string, std::string>;
    struct Row {
        const char* name;
        Headers headers;
        std::optional<std::uint32_t> limit, remaining;
        std::optional<Duration> reset;
    };
    const std::vector<Row> rows = {
        {"none", {}, {}, {}, {}},
        {"X-RateLimit",
         {{"X-RateLimit-Limit", "100"}, {"X-RateLimit-Remaining", "7"}, {"X-RateLimit-Reset", "12"}},
         100,
         7,
         Duration(12s)},
        {"X-Rate-Limit", {{"X-Rate-Limit-Limit", "100"}, {"X-Rate-Limit-Remaining", "0"}}, 100, 0, {}},
        {"RateLimit with a policy",
         {{"RateLimit-Limit", "100, 100;w=60"}, {"RateLimit-Remaining", "50"}, {"RateLimit-Reset", "30"}},
         100,
         50,
         Duration(30s)},
        {"one line", {{"RateLimit", "limit=100, remaining=50, reset=5"}}, 100, 50, Duration(5s)},
        {"one line, newer",
         {{"RateLimit", "\"default\";r=50;t=30"}, {"RateLimit-Policy", "\"default\";q=100;w=60"}},
         100,
         50,
         Duration(30s)},
        {"a burst and a day, no minute",
         {{"RateLimit-Policy", "\"burst\";q=10;w=1, \"day\";q=5000;w=86400"},
          {"RateLimit", "\"burst\";r=9;t=1, \"day\";r=4990;t=80000"}},
         600,
         4990,
         Duration(80'000s)},
        {"a burst, a minute and an hour",
         {{"RateLimit-Policy", "\"burst\";q=10;w=1, \"min\";q=80;w=60, \"hour\";q=1000;w=3600"},
          {"RateLimit", "\"burst\";r=9;t=1, \"min\";r=70;t=20, \"hour\";r=900;t=3000"}},
         80,
         70,
         Duration(20s)},
        {"an hour alone", {{"RateLimit-Policy", "1000;w=3600;comment=\"a, b\""}}, 16, {}, {}},
        {"a burst alone",
         {{"RateLimit-Limit", "10, 10;w=1"}, {"RateLimit-Remaining", "9"}, {"RateLimit-Reset", "1"}},
         600,
         {},
         {}},
        {"a burst in front of a minute", {{"RateLimit-Limit", "10, 10;w=1, 100;w=60"}}, 100, {}, {}},
        {"a day alone", {{"RateLimit-Policy", "\"day\";q=5000;w=86400"}}, {}, {}, {}},
        {"windows that are none", {{"RateLimit-Policy", "\"a\";q=50;w=0, \"b;w=1\";q=40;w=x, ;;,\""}}, 40, {}, {}},
        {"reset as Unix time", {{"X-RateLimit-Reset", "1704520830"}}, {}, {}, Duration(30s)},
        {"reset as Unix time in ms", {{"X-RateLimit-Reset", "1704520830000"}}, {}, {}, Duration(30s)},
        {"reset as Unix time with a fraction", {{"X-RateLimit-Reset", "1704520830.5"}}, {}, {}, Duration(30s + 500ms)},
        {"reset as a date", {{"X-RateLimit-Reset", "Sat, 06 Jan 2024 06:00:30 GMT"}}, {}, {}, Duration(30s)},
        {"reset as an instant", {{"RateLimit-Reset", "2024-01-06T06:00:30Z"}}, {}, {}, Duration(30s)},
        {"reset as a span of its own", {{"X-RateLimit-Reset-After", "1.5"}}, {}, {}, Duration(1500ms)},
        {"reset as a span with units", {{"X-RateLimit-Reset", "1h6m0.5s"}}, {}, {}, Duration(66min + 500ms)},
        {"reset in milliseconds by name", {{"X-RateLimit-Reset", "120ms"}}, {}, {}, Duration(120ms)},
        {"reset with units that rise", {{"X-RateLimit-Reset", "5s1m"}}, {}, {}, {}},
        {"reset with a unit that is none", {{"X-RateLimit-Reset", "5x"}}, {}, {}, {}},
        {"reset with a unit alone", {{"X-RateLimit-Reset", "ms"}}, {}, {}, {}},
        {"reset beyond any sense", {{"X-RateLimit-Reset", "90000000"}}, {}, {}, Duration(24h)},
        {"reset in ten years", {{"X-RateLimit-Reset", "2020138830"}}, {}, {}, {}},
        {"reset gone by", {{"X-RateLimit-Reset", "1704520000"}}, {}, {}, Duration(0s)},
        {"a fraction", {{"X-RateLimit-Remaining", "12.9"}, {"X-RateLimit-Reset", "0.5"}}, {}, 12, Duration(500ms)},
        {"words, signs, hex",
         {{"X-RateLimit-Limit", "many"}, {"X-RateLimit-Remaining", "-1"}, {"X-RateLimit-Reset", "0x10"}},
         {},
         {},
         {}},
        {"beyond all numbers",
         {{"X-RateLimit-Limit", "99999999999999999999"}, {"X-RateLimit-Remaining", "99999999999"}},
         {},
         1'000'000'000,
         {}},
        {"a name inside another", {{"RateLimit", "overlimit=3, dr=1"}}, {}, {}, {}},
    };
    for (const auto& row : rows) {
        CAPTURE(row.name);
        const auto lookup = [&row](std::string_view name) -> std::string_view {
            const auto found = row.headers.find(std::string(name));
            return found == row.headers.end() ? std::string_view() : std::string_view(found->second);
        };
        const auto facts = read_rate_limit(lookup, Instant::from_seconds(1'704'520'800));
        CHECK(facts.limit == row.limit);
        CHECK(facts.remaining == row.remaining);
        CHECK(facts.reset == row.reset);
    }
}

TEST_CASE("a 403 is a limit when it asks to wait or when nothing is left of a quota, and says for how long")
{
    using Headers = std::map<std::string, std::string>;
    struct Row {
        const char* name;
        int status;
        Headers headers;
        bool is_limit;
        std::optional<Duration> wait;
    };
    const std::vector<Row> rows = {
        {"429 alone", 429, {}, true, {}},
        {"403 alone", 403, {}, false, {}},
        {"403 with something left", 403, {{"X-RateLimit-Remaining", "3"}, {"X-RateLimit-Reset", "30"}}, false, {}},
        {"X-RateLimit", 403, {{"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "30"}}, true, Duration(30s)},
        {"X-Rate-Limit", 403, {{"X-Rate-Limit-Remaining", "0"}}, true, {}},
        {"Rate-Limit", 403, {{"Rate-Limit-Remaining", "0"}, {"Rate-Limit-Reset", "1704520830"}}, true, Duration(30s)},
        {"RateLimit", 403, {{"RateLimit-Remaining", "0"}, {"RateLimit-Reset", "9"}}, true, Duration(9s)},
        {"of a second",
         403,
         {{"RateLimit-Limit", "10, 10;w=1"}, {"RateLimit-Remaining", "0"}, {"RateLimit-Reset", "1"}},
         true,
         Duration(1s)},
        {"one line", 403, {{"RateLimit", "limit=100, remaining=0, reset=5"}}, true, Duration(5s)},
        {"one line, newer", 403, {{"RateLimit", "\"burst\";r=4;t=1, \"day\";r=0;t=7000"}}, true, Duration(7000s)},
        {"200", 200, {{"X-RateLimit-Remaining", "0"}}, false, {}},
        {"420 alone", 420, {}, true, {}},
        {"430 with nothing left",
         430,
         {{"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "30"}},
         true,
         Duration(30s)},
        {"430 alone", 430, {}, false, {}},
        {"404 with nothing left", 404, {{"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "30"}}, false, {}},
    };
    for (const auto& row : rows) {
        CAPTURE(row.name);
        const auto lookup = [&row](std::string_view name) -> std::string_view {
            const auto found = row.headers.find(std::string(name));
            return found == row.headers.end() ? std::string_view() : std::string_view(found->second);
        };
        auto facts = read_rate_limit(lookup, Instant::from_seconds(1'704'520'800));
        facts.status = row.status;
        CHECK(tells_limit(facts) == row.is_limit);
        CHECK((!row.is_limit || limit_wait(facts) == row.wait));
    }
}

}  // namespace shelfd::budget

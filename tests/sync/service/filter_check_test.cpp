#include "mirror/rows/dated_changes.hpp"
#include "sync/plan/pass_plan.hpp"
#include "sync/service/filter_check.hpp"

#include "support/catch.hpp"

using namespace shelfd;
using namespace std::chrono_literals;

TEST_CASE("a row that changed long before what was asked for is seen, and one that says nothing is passed over")
{
    struct Row {
        const char* name;
        const char* rows;
        std::optional<std::string> found;
    };
    const auto since = Instant::from_rfc3339("2026-03-10T12:00:00Z").value();
    const auto row = GENERATE(values<Row>({
        {"no rows", "[]", std::nullopt},
        {"later", R"([{"id":1,"m":"2026-03-10T12:00:01Z"}])", std::nullopt},
        {"within the tolerance", R"([{"id":1,"m":"2026-03-09T00:00:00Z"},{"id":2,"m":"2026-03-09"}])", std::nullopt},
        {"before", R"([{"id":1,"m":"2026-03-11T00:00:00Z"},{"id":2,"m":"2026-03-08T11:59:59Z"}])",
         "2026-03-08T11:59:59Z"},
        {"a day before", R"( [ {"m" : "2026-03-08", "id":2} ] )", "2026-03-08"},
        {"not there, null, a number", R"([{"id":1},{"id":2,"m":null},{"id":3,"m":5}])", std::nullopt},
        {"no time", R"([{"id":1,"m":"long ago"}])", std::nullopt},
        {"a number before", R"([{"id":1,"m":1772971199}])", "1772971199"},
        {"milliseconds before", R"([{"id":1,"m":1772971199000}])", "1772971199000"},
        {"milliseconds as text", R"([{"id":1,"m":"1772971199000"}])", "1772971199000"},
        {"milliseconds later", R"([{"id":1,"m":1773144001000}])", std::nullopt},
        {"a blank between day and time", R"([{"id":1,"m":"2026-03-08 11:59:59"}])", "2026-03-08 11:59:59"},
        {"no seconds and no zone", R"([{"id":1,"m":"2026-03-08T11:59"}])", "2026-03-08T11:59"},
        {"an HTTP date", R"([{"id":1,"m":"Sun, 08 Mar 2026 11:59:59 GMT"}])", "Sun, 08 Mar 2026 11:59:59 GMT"},
        {"no rows at all", R"([1,"2020-01-01"])", std::nullopt},
        {"no JSON", R"([{"m":)", std::nullopt},
    }));
    INFO(row.name);
    CHECK(sync::first_unsolicited(row.rows, "m", since) == row.found);
}

TEST_CASE("rows count as late where their own date says so, or nothing does")
{
    struct Row {
        const char* name;
        const char* rows;
        std::uint64_t late;
        bool all_later;
    };
    const auto at = Instant::from_rfc3339("2026-03-10T12:00:00Z").value();
    const auto row = GENERATE(values<Row>({
        {"no rows", "[]", 0, true},
        {"before", R"([{"m":"2026-03-10T11:59:59Z"},{"m":"2026-03-09T23:00:00-01:00"}])", 0, true},
        {"later", R"([{"m":"2026-03-10T12:00:00Z"},{"m":"2099-01-01T00:00:00Z"}])", 2, true},
        {"long before", R"([{"m":"2099-01-01T00:00:00Z"},{"m":"2026-03-01T12:00:00Z"}])", 1, false},
        {"the same day", R"([{"m":"2026-03-10"},{"m":"2026-03-09"}])", 1, true},
        {"without a zone", R"([{"m":"2026-03-10T00:00:00"},{"m":"2026-03-09T12:00:00"}])", 1, true},
        {"without a zone, with a blank", R"([{"m":"2026-03-10 00:00"},{"m":"2026-03-09 12:00:00"}])", 1, true},
        {"milliseconds", R"([{"m":1773144000000},{"m":1773143999000}])", 1, true},
        {"seconds long before", R"([{"m":1772366400}])", 0, false},
        {"not there, null, a number", R"([{"id":1},{"m":null},{"m":5}])", 3, false},
    }));
    INFO(row.name);
    CHECK(sync::changed_since(row.rows, "m", at) == row.late);
    CHECK(sync::are_all_later(row.rows, "m", at) == row.all_later);
}

TEST_CASE("passes for changes reach back as far as configured, and over what dates do not tell at least")
{
    using Format = config::Incremental::Format;
    config::Incremental incremental;
    incremental.overlap = Duration(0);
    incremental.format = Format::datetime;
    mirror::Discovery known;
    CHECK(sync::reach_of(incremental, known) == std::chrono::seconds(2));
    incremental.overlap = std::chrono::minutes(5);
    CHECK(sync::reach_of(incremental, known) == std::chrono::minutes(5));
    // The day of some zone in which a moment lies is another one than that of the moment 26 hours before, in UTC.
    incremental.format = Format::date;
    CHECK(sync::reach_of(incremental, known) == std::chrono::hours(38));
    incremental.format = Format::datetime;
    incremental.overlap = Duration(0);
    known.resolution = std::chrono::minutes(1);
    CHECK(sync::reach_of(incremental, known) == std::chrono::seconds(61));
    known.resolution = std::chrono::hours(24);
    CHECK(sync::reach_of(incremental, known) == std::chrono::hours(38));
}

TEST_CASE("a date tells the time as finely as it is written, and zeros tell nothing")
{
    struct Row {
        const char* text;
        std::optional<Duration> shown;
    };
    const auto row = GENERATE(values<Row>({
        {"2026-01-05", 24h},
        {"2026-01-05T00:00:00Z", 24h},
        {"2026-01-05T10:07", 1min},
        {"2026-01-05 10:07", 1min},
        {"2026-01-05T10:07Z", 1min},
        {"2026-01-05T10:07:00.000000Z", 1min},
        {"2026-01-05T10:07:00+02:00", 1min},
        {"2026-01-05T10:07:30Z", 1s},
        {"2026-01-05T10:07:00.250", 1s},
        {"yesterday", std::nullopt},
        {"2026-01-05T", std::nullopt},
        {"", std::nullopt},
    }));
    INFO(row.text);
    CHECK(mirror::resolution_of(row.text) == row.shown);
}

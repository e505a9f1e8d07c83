#include "sync/filter_watch.hpp"

#include "support/catch.hpp"

using namespace shelfd;

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
        {"no rows at all", R"([1,"2020-01-01"])", std::nullopt},
        {"no JSON", R"([{"m":)", std::nullopt},
    }));
    INFO(row.name);
    CHECK(sync::first_unsolicited(row.rows, "m", since) == row.found);
}

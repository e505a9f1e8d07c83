#include "ctl/mirror_bench.hpp"
#include "ctl/start/example_queries.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

namespace shelfd::ctl {
namespace {

std::vector<std::string> queries_of(MirrorBench& bench, const std::string& table)
{
    auto database = storage::Database::open(bench.file(), storage::OpenMode::read_only);
    REQUIRE(database);
    const auto schema = read_mirror_schema(*database, table);
    REQUIRE(schema);
    auto queries = example_queries(*database, schema->tables.front());
    REQUIRE(queries);
    for (const auto& sql : *queries) {
        INFO(sql);
        CHECK(database->execute(sql));
    }
    return *queries;
}

TEST_CASE("three queries use columns that the table has, and cast decimals")
{
    MirrorBench bench;
    std::string items;
    for (int i = 1; i <= 30; ++i) {
        items += fmt::format(R"({}{{"id": {}, "order": "{}", "price": "{}.50", "text": "{}", "tags": [1]}})",
                             i > 1 ? "," : "", i, i % 3 == 0 ? "soup" : "cake", i, std::string(90, 'x'));
    }
    bench.load(items);
    const auto queries = queries_of(bench, "recipes");
    REQUIRE(queries.size() == 3);
    CHECK(queries[0] == R"(SELECT id, "order", price FROM recipes ORDER BY id DESC LIMIT 5)");
    CHECK(queries[1] == R"(SELECT "order", count(*) AS how_many FROM recipes GROUP BY "order" ORDER BY how_many DESC, )"
                        R"("order" LIMIT 5)");
    CHECK(queries[2].find("max(CAST(price AS REAL)) AS greatest FROM recipes") != std::string::npos);
}

TEST_CASE("a table of few columns gets three queries, too")
{
    MirrorBench bench;
    bench.load(R"({"id": 1, "name": "soup"})");
    const auto queries = queries_of(bench, "recipes");
    REQUIRE(queries.size() == 3);
    CHECK(queries[1].find("FROM freshness WHERE resource = 'recipes'") != std::string::npos);
    CHECK(queries[2].find("FROM _runs WHERE resource = 'recipes'") != std::string::npos);
}

TEST_CASE("a table of keys and times gets queries as well")
{
    MirrorBench bench;
    bench.load(R"({"id": 1, "at": "2024-01-06T06:00:00Z"}, {"id": 2, "at": "2024-02-06T06:00:00Z"})");
    const auto queries = queries_of(bench, "recipes");
    REQUIRE(queries.size() == 3);
    CHECK(queries[1].find("substr(at, 1, 7) AS month") != std::string::npos);
    CHECK(queries[2].find("FROM freshness WHERE resource = 'recipes'") != std::string::npos);
}

}  // namespace
}  // namespace shelfd::ctl

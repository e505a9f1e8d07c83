#include "config/bind/resource_names.hpp"
#include "config/check/values.hpp"
#include "support/catch.hpp"

#include <string>

namespace shelfd::config {
namespace {

TEST_CASE("a resource is named by the last word of its path")
{
    const auto name_of = [](const std::string& path) {
        ResourceNames taken;
        return free_resource_name(path, taken);
    };
    CHECK(name_of("/api/v2/library/recipes/") == "recipes");
    CHECK(name_of("/api/v2/Stock-Levels") == "stock_levels");
    CHECK(name_of("/2024/") == "list_2024");
    CHECK(name_of("/") == "list_");
    CHECK(name_of("/api/freshness/") == "list_freshness");
    CHECK(name_of("/api/sqlite_things/") == "list_sqlite_things");
    CHECK(is_name(name_of("/" + std::string(200, 'x'))));
    CHECK(is_name(name_of("/" + std::string(200, '9'))));
}

TEST_CASE("lists with the same last word get names of their own")
{
    ResourceNames taken;
    CHECK(free_resource_name("/sales/lines/", taken) == "lines");
    CHECK(free_resource_name("/purchases/lines/", taken) == "lines_2");
    CHECK(free_resource_name("/returns/LINES", taken) == "lines_3");
    // The daemon has such a table beside lines.
    CHECK(free_resource_name("/sales/lines_detail/", taken) == "lines_detail_2");
    CHECK(taken == ResourceNames{"lines", "lines_2", "lines_3", "lines_detail_2"});
    const auto long_word = "/a/" + std::string(60, 'x');
    const auto first = free_resource_name(long_word, taken);
    const auto second = free_resource_name(long_word, taken);
    CHECK(first != second);
    CHECK(is_name(second));
}

}  // namespace
}  // namespace shelfd::config

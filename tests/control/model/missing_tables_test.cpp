#include "control/model/missing_tables.hpp"

#include "support/catch.hpp"

namespace shelfd::control {
namespace {

TEST_CASE("of many different reasons a sentence tells those of most tables, and counts the others")
{
    std::vector<MissingTables> missing = {{"a", {"x"}, "down"},
                                          {"a", {"y"}, "slow"},
                                          {"b", {"x", "y"}, "forbidden"},
                                          {"c", {}, "not running"},
                                          {"d", {"p", "q", "r", "s", "t"}, "late"}};
    CHECK(fold(missing) == "d p, q, r and 2 more: late; b x, y: forbidden; a x: down; and 2 more for other reasons");
    missing.resize(3);
    CHECK(fold(missing) == "a x: down; a y: slow; b x, y: forbidden");
    CHECK(fold({}).empty());
}

TEST_CASE("tables of one library are named, also if their reasons differ in numbers")
{
    CHECK(fold({{"a", {"x", "y"}, "late, page 3"}, {"a", {"z"}, "late, page 7"}}) ==
          "a x, y, z: late, page 3 (as for a x, y)");
    CHECK(fold({{"a", {"x", "y"}, "late, page 3"}, {"b", {"z"}, "late, page 7"}}) ==
          "a, b (3 tables): late, page 3 (a x, y)");
}

}  // namespace
}  // namespace shelfd::control

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

}  // namespace
}  // namespace shelfd::control

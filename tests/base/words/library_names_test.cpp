#include "base/words/library_names.hpp"
#include "support/catch.hpp"

using shelfd::name_libraries;

TEST_CASE("of many libraries a few are named, as far as the line has room, and the others are counted")
{
    CHECK(name_libraries({"antwerp"}) == "antwerp");
    CHECK(name_libraries({"antwerp", "bruges", "ghent"}) == "antwerp, bruges, ghent");
    CHECK(name_libraries({"antwerp", "bruges", "ghent", "liege"}) == "antwerp, bruges, ghent and 1 more library");
    CHECK(name_libraries({"antwerp", "bruges", "ghent", "liege", "mons"}) ==
          "antwerp, bruges, ghent and 2 more libraries");
    const std::string twenty(20, 'a');
    CHECK(name_libraries({twenty, twenty + "b", "c"}) == twenty + " and 2 more libraries");
    CHECK(name_libraries({std::string(60, 'a'), "b"}) == std::string(60, 'a') + " and 1 more library");
}

#include "base/words/some_names.hpp"
#include "support/catch.hpp"

using shelfd::name_some;

TEST_CASE("of many libraries a few are named, as far as the line has room, and the others are counted")
{
    CHECK(name_some({"antwerp"}) == "antwerp");
    CHECK(name_some({"antwerp", "bruges", "ghent"}) == "antwerp, bruges, ghent");
    CHECK(name_some({"antwerp", "bruges", "ghent", "liege"}) == "antwerp, bruges, ghent and 1 more library");
    CHECK(name_some({"antwerp", "bruges", "ghent", "liege", "mons"}) == "antwerp, bruges, ghent and 2 more libraries");
    const std::string twenty(20, 'a');
    CHECK(name_some({twenty, twenty + "b", "c"}) == twenty + " and 2 more libraries");
    CHECK(name_some({std::string(60, 'a'), "b"}) == std::string(60, 'a') + " and 1 more library");
}

#include "base/words/natural_order.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <string>
#include <vector>

using namespace shelfd;

TEST_CASE("numbers in names are compared as numbers, letters whatever their case")
{
    std::vector<std::string> names{"b", "library10", "Library9", "library09b", "a2", "a10", "a", "library9b"};
    std::stable_sort(names.begin(), names.end(), natural_less);
    CHECK(names == std::vector<std::string>{"a", "a2", "a10", "b", "Library9", "library09b", "library9b", "library10"});
    CHECK_FALSE(natural_less("x1", "x1"));
}

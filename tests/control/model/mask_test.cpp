#include "control/model/mask.hpp"

#include "support/catch.hpp"

namespace shelfd::control {
namespace {

TEST_CASE("sentences that differ in names and times only are alike")
{
    CHECK(mask("the set of ghent was lost at 2024-01-06T05:00:00Z: see ghent.", "ghent", {}) ==
          "the set of * was lost at *: see *.");
    CHECK(mask("recipes of ghentish, no stock", "ghent", {"recipes", "stock"}) == "* of ghentish, no *");
    CHECK(mask("502 at 10:00", "antwerp", {}) == "502 at 10:00");
    CHECK(mask("", "antwerp", {}).empty());
}

}  // namespace
}  // namespace shelfd::control

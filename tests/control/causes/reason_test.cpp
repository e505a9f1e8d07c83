#include "control/causes/reason.hpp"

#include "support/catch.hpp"

namespace shelfd::control {
namespace {

TEST_CASE("sentences about the same kind of trouble have the same reason, whatever rows and names they hold")
{
    const auto of = [](const char* why) { return reason_in_kind(why, "antwerp", {"recipes"}); };
    CHECK(of("recipes: item 3 of a page: its key \"id\" is missing") == "item of a page");
    CHECK(of("recipes: item 17 of a page: its key \"uuid\" is missing") == "item of a page");
    CHECK(of("row {\"id\":7} has no time: its date is x") == of("row 12 has no time: it has no member date"));
    CHECK(of("the answer has another form (an array) than before (results)") ==
          "the answer has another form than before");
    CHECK(of("the service has no such list (404); check `path` and `base_url`") == "the service has no such list");
    CHECK(of("the service has no such list (404)") != of("the answer has another form (a) than before (b)"));
    CHECK(of("") == "");
}

TEST_CASE("cures are alike if only names and paths differ")
{
    CHECK(words_in_common("shelfctl auth import antwerp", "antwerp", {}) ==
          words_in_common("shelfctl auth import ghent", "ghent", {}));
    CHECK(words_in_common("correct [resource.recipes], then: shelfctl reload", "antwerp", {"recipes"}) ==
          words_in_common("correct [resource.stock], then: shelfctl reload", "antwerp", {"stock"}));
    CHECK(words_in_common("shelfctl sync antwerp recipes --full", "antwerp", {"recipes"}) !=
          words_in_common("correct [resource.recipes], then: shelfctl reload", "antwerp", {"recipes"}));
    CHECK(words_in_common("ask for the scope or permission of recipes", "antwerp", {"recipes"}) ==
          words_in_common("ask for the scopes or permissions of recipes, stock", "antwerp", {"recipes", "stock"}));
    CHECK(words_in_common(std::string(10'000, 'x'), "antwerp", {}).size() <= 10'000);
}

}  // namespace
}  // namespace shelfd::control

#include "base/words/names.hpp"

#include "support/catch.hpp"

#include <fmt/core.h>

namespace shelfd {
namespace {

TEST_CASE("a name of the same words is nearer than one of similar letters, and one without either is not near")
{
    struct Row {
        std::string_view typed;
        std::vector<std::string_view> known;
        std::string_view nearest;  // "" = none is alike
    };
    for (const auto& row : {
             Row{"Brussels", {"Israel", "Europe/Brussels", "Singapore"}, "Europe/Brussels"},
             Row{"Brussels", {"Israel", "Singapore"}, ""},
             Row{"europe/brusels", {"Europe/Brussels", "Europe/Berlin"}, "Europe/Brussels"},
             Row{"new york", {"Israel", "America/New_York"}, "America/New_York"},
             Row{"halp", {"held", "help"}, "help"},
             Row{"help", {"held", "help"}, "help"},
             Row{"stauts", {"auth", "status"}, "status"},
             Row{"recipe", {"sales", "recipes", "recipes_detail"}, "recipes"},
             Row{"detail_recipes", {"recipes", "recipes_detail"}, "recipes_detail"},
             Row{"Recipes", {"recipes"}, "recipes"},
             Row{"order", {"purchase_orders", "sales"}, "purchase_orders"},
             Row{"customers", {"recipes", "sales"}, ""},
             Row{"x", {"y", "recipes"}, ""},
             Row{"recipes", {}, ""},
         }) {
        CAPTURE(row.typed);
        CHECK(nearest_alike(row.typed, row.known) == row.nearest);
    }
}

TEST_CASE("names are listed nearest first, the others in their order, and many only in part")
{
    CHECK(list_nearest_first("sale", {"outlets", "recipes", "sales", "units"}) == "sales, outlets, recipes, units");
    CHECK(list_nearest_first("x", {"outlets", "recipes"}) == "outlets, recipes");
    CHECK(list_nearest_first("x", {}) == "none");
    std::vector<std::string> many;
    for (int i = 1; i <= 40; ++i) {
        many.push_back(fmt::format("lib{:02}", i));
    }
    CHECK(list_nearest_first("lib_39", many).starts_with("lib39, "));
    CHECK(list_nearest_first("zurich", many).ends_with(", lib12 and 28 more"));
}

TEST_CASE("of many names or clauses the first ones are listed, and the others are counted, listed elsewhere or not")
{
    struct Row {
        std::vector<std::string> parts;
        std::size_t most;
        std::size_t unlisted;
        std::string_view names;
        std::string_view clauses;
    };
    for (const auto& row : {
             Row{{}, 3, 0, "", ""},
             Row{{"a"}, 3, 0, "a", "a"},
             Row{{"a", "b", "c"}, 3, 0, "a, b, c", "a; b; c"},
             Row{{"a", "b", "c", "d"}, 3, 0, "a, b, c and 1 more", "a; b; c; and 1 more"},
             Row{{"a", "b"}, 1, 0, "a and 1 more", "a; and 1 more"},
             Row{{"a", "b"}, 3, 5, "a, b and 5 more", "a; b; and 5 more"},
             Row{{"a", "b", "c", "d"}, 3, 5, "a, b, c and 6 more", "a; b; c; and 6 more"},
             Row{{}, 3, 2, "2 more", "2 more"},
         }) {
        CAPTURE(row.names);
        CHECK(list_some(row.parts, row.most, row.unlisted) == row.names);
        CHECK(list_clauses(row.parts, row.most, row.unlisted) == row.clauses);
    }
}

}  // namespace
}  // namespace shelfd

#include "control/model/reason.hpp"

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

TEST_CASE("reasons of other kinds than the one that is told are counted, each once, however many libraries have it")
{
    const auto count = [](CauseKind kind, std::vector<Affected> affected) {
        std::vector<const Affected*> all;
        for (const auto& one : affected) {
            all.push_back(&one);
        }
        return other_reasons(kind, all);
    };
    const Affected first{"antwerp", {"recipes"}, "the service answered 502", "", {}, {}};
    const Affected same{"ghent", {"stock"}, "stock: the service answered 503", "", {}, {}};
    const Affected cut{"hasselt", {"stock"}, "the answer was cut off", "", {}, {}};
    const Affected both{"liege", {"recipes", "stock"}, "the service answered 502; stock: no JSON; try later: x", "", {},
                        {}};
    CHECK(count(CauseKind::service, {first}) == 0);
    CHECK(count(CauseKind::service, {first, same}) == 0);
    CHECK(count(CauseKind::service, {first, cut, same, cut}) == 1);
    CHECK(count(CauseKind::service, {first, cut, both}) == 2);
    CHECK(count(CauseKind::service, {both, first}) == 0);  // it is told
    CHECK(count(CauseKind::held, {first, cut}) == 0);
    CHECK(describe_other_reasons(0) == "");
    CHECK(describe_other_reasons(1) == "; and 1 other reason");
    CHECK(describe_other_reasons(2) == "; and 2 other reasons");
}

}  // namespace
}  // namespace shelfd::control

#include "control/causes/fact_watch.hpp"

#include "control/sample_status.hpp"
#include "support/catch.hpp"

namespace shelfd::control {
namespace {

Status with_facts(std::vector<Fact> facts, std::uint32_t limit = 100)
{
    auto antwerp = sample_library("antwerp", {sample_resource("recipes", State::fresh)});
    antwerp.token.facts = std::move(facts);
    antwerp.budget.limit = limit;
    auto ghent = antwerp;
    ghent.name = "ghent";
    return sample_status({antwerp, ghent});
}

TEST_CASE("a fact of the service that changes is one momentary cause for all its libraries")
{
    FactWatch watch;
    CHECK(watch.compare(with_facts({{"lifetime of an access token", "7 d"}})).empty());
    CHECK(watch.compare(with_facts({{"lifetime of an access token", "7 d"}})).empty());
    const auto causes = watch.compare(with_facts({{"lifetime of an access token", "1 h"}}));
    REQUIRE(causes.size() == 1);
    CHECK(causes.front().kind == CauseKind::service_changed);
    CHECK(causes.front().momentary);
    CHECK(causes.front().affected.size() == 2);
    CHECK(causes.front().affected.front().why == "lifetime of an access token: 1 h, before: 7 d");
    CHECK(watch.compare(with_facts({{"lifetime of an access token", "1 h"}})).empty());
}

TEST_CASE("the request limit is a fact, too, and two facts are two causes")
{
    FactWatch watch;
    [[maybe_unused]] const auto first = watch.compare(with_facts({{"scope", "a b"}}, 100));
    CHECK(watch.compare(with_facts({{"scope", "a"}}, 60)).size() == 2);
}

TEST_CASE("what is not known for a while is remembered, and what was never known is no change")
{
    FactWatch watch;
    CHECK(watch.compare(with_facts({{"scope", "a"}, {"journal", "x"}})).empty());
    CHECK(watch.compare(with_facts({{"journal", "y"}})).empty());
    CHECK(watch.compare(with_facts({{"scope", "b"}})).size() == 1);
    FactWatch again(watch.known());
    CHECK(again.compare(with_facts({{"scope", "b"}, {"lifetime of an access token", "7 d"}})).empty());
    CHECK(again.compare(with_facts({{"scope", "c"}})).size() == 1);
}

TEST_CASE("a watch says once that what it knows has changed")
{
    FactWatch watch;
    [[maybe_unused]] const auto first = watch.compare(with_facts({{"scope", "a"}}));
    CHECK(watch.take_changed());
    [[maybe_unused]] const auto same = watch.compare(with_facts({{"scope", "a"}}));
    CHECK_FALSE(watch.take_changed());
}

TEST_CASE("libraries that are gone are forgotten")
{
    FactWatch watch;
    [[maybe_unused]] const auto first = watch.compare(with_facts({{"scope", "a"}}));
    [[maybe_unused]] const auto none = watch.compare(sample_status({}));
    CHECK(watch.known().empty());
}

}  // namespace
}  // namespace shelfd::control

#include "sync/service/query.hpp"

#include "support/catch.hpp"

using namespace shelfd;
using shelfd::sync::Query;

TEST_CASE("a query keeps its text as it came, and its parameters as they are meant")
{
    const Query query("b=2&a=x%2By&b=3&c");
    CHECK(query.text() == "b=2&a=x%2By&b=3&c");
    REQUIRE(query.find("a") != nullptr);
    CHECK(*query.find("a") == "x+y");
    CHECK(*query.find("b") == "2");
    CHECK(query.has("c"));
    CHECK_FALSE(query.has("d"));
    CHECK(query.find("d") == nullptr);
    CHECK_FALSE(Query("").has(""));
}

TEST_CASE("parameters that are set in a query replace those of their names")
{
    const auto changed = Query("a=1&b=2&a=3").with({{"a", "x y"}, {"c", "4"}});
    CHECK(changed == Query("b=2&a=x%20y&c=4"));
    CHECK(*changed.find("a") == "x y");
    CHECK(changed.params() == http::Params{{"b", "2"}, {"a", "x y"}, {"c", "4"}});
}

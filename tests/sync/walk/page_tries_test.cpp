#include "sync/walk/page_tries.hpp"

#include "support/catch.hpp"

using namespace shelfd;
using namespace shelfd::sync;

TEST_CASE("a request that fails is tried again after growing waits, and so often")
{
    PageTries tries;
    const auto first = tries.failed(3, 0.5);
    const auto second = tries.failed(3, 0.5);
    REQUIRE((first && second));
    CHECK(*second > *first);
    CHECK_FALSE(tries.failed(3, 0.5));
    tries.succeeded();
    CHECK(tries.failed(3, 0.5) == first);
}

TEST_CASE("another kind of request has tries of its own, and goes on with the waits")
{
    PageTries tries;
    const auto first = tries.failed(2, 0.5);
    CHECK(tries.may_repeat_throttled(2));
    tries.token_renewed();
    tries.other_request();
    CHECK(tries.may_repeat_throttled(2));
    CHECK_FALSE(tries.may_repeat_throttled(2));
    CHECK(tries.was_renewed());
    const auto next = tries.failed(2, 0.5);
    REQUIRE(next);
    CHECK(*next > *first);
}

TEST_CASE("an answer ends the memory of a renewed token")
{
    PageTries tries;
    CHECK_FALSE(tries.was_renewed());
    tries.token_renewed();
    CHECK(tries.was_renewed());
    tries.succeeded();
    CHECK_FALSE(tries.was_renewed());
}

#include "sync/walk/walk_advance.hpp"

#include "support/catch.hpp"

using namespace shelfd::sync;

TEST_CASE("a query is asked for once in a walk")
{
    WalkAdvance advance;
    CHECK(advance.ask_for("page=1"));
    CHECK(advance.ask_for("page=2"));
    CHECK(advance.ask_for(""));
    CHECK_FALSE(advance.ask_for("page=1"));
    CHECK_FALSE(advance.ask_for(""));
    advance.begin_anew();
    CHECK(advance.ask_for("page=1"));
}

TEST_CASE("pages without a new key are counted until one brings a new key, empty ones by themselves")
{
    const WalkAdvance::Limits limits{.max_idle_pages = 2, .max_empty_pages = 3};
    WalkAdvance advance;
    advance.page_arrived(10, 0);
    CHECK(advance.pages_in_vain(limits) == 0);
    SECTION("old keys")
    {
        advance.page_arrived(10, 0);
        CHECK(advance.pages_in_vain(limits) == 2);
        advance.page_arrived(10, 1);
        CHECK(advance.pages_in_vain(limits) == 0);
    }
    SECTION("empty pages may be more")
    {
        advance.page_arrived(0, 0);
        advance.page_arrived(0, 0);
        CHECK(advance.pages_in_vain(limits) == 0);
        advance.page_arrived(0, 0);
        CHECK(advance.pages_in_vain(limits) == 3);
    }
    SECTION("another walk counts anew")
    {
        advance.begin_anew();
        advance.page_arrived(10, 0);
        CHECK(advance.pages_in_vain(limits) == 0);
    }
}

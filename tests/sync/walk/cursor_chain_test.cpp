#include "sync/walk/cursor_chain.hpp"

#include "support/catch.hpp"

using namespace shelfd::sync;

namespace {

CursorChain::Page page(std::int64_t lowest, std::int64_t highest, std::optional<std::int64_t> cursor)
{
    return {2, cursor.has_value(), cursor, lowest, highest};
}

}  // namespace

TEST_CASE("pages follow each other by key where each cursor is the last key before it, rising or falling")
{
    CursorChain falling;
    CHECK(falling.follows(page(9, 10, 9)));
    CHECK(falling.follows(page(7, 8, 7)));
    CHECK(falling.follows(page(5, 6, std::nullopt)));
    CursorChain rising;
    CHECK(rising.follows(page(1, 2, 2)));
    CHECK(rising.follows(page(3, 4, 4)));
    CHECK(rising.follows({0, false, std::nullopt, std::nullopt, std::nullopt}));
}

TEST_CASE("a chain is broken by a cursor that is another key, by keys behind it, and by one that cannot be read")
{
    CursorChain chain;
    SECTION("another key")
    {
        CHECK_FALSE(chain.follows(page(7, 10, 8)));
    }
    SECTION("the other end of the page")
    {
        REQUIRE(chain.follows(page(9, 10, 9)));
        CHECK_FALSE(chain.follows(page(7, 8, 8)));
    }
    SECTION("a row that was before the cursor")
    {
        REQUIRE(chain.follows(page(9, 10, 9)));
        CHECK_FALSE(chain.follows(page(7, 9, 7)));
    }
    SECTION("nothing in it")
    {
        CHECK_FALSE(chain.follows({2, true, std::nullopt, 9, 10}));
    }
    SECTION("a page of one row does not tell which end it is")
    {
        CHECK_FALSE(chain.follows(page(9, 9, 9)));
    }
    SECTION("another walk begins anew")
    {
        REQUIRE(chain.follows(page(9, 10, 9)));
        chain.begin_anew();
        CHECK(chain.follows(page(9, 10, 10)));
    }
}

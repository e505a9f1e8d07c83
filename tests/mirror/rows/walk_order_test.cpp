#include "mirror/rows/walk_order.hpp"
#include "support/catch.hpp"

using namespace shelfd;

namespace {

// A walk over keys that are whole numbers; each key is its own ordinal.
struct Walk {
    explicit Walk(bool by_parent = false) : order(by_parent) {}

    mirror::Page page_of(const std::vector<std::int64_t>& keys) const
    {
        mirror::Page page;
        for (const auto number : keys) {
            auto& item = page.items.emplace_back();
            item.key.first.integer = number;
            item.known = mirror::RowState{{}, number, 0, false};
        }
        return page;
    }
    void measure(const mirror::Page& page, mirror::PageFacts& facts)
    {
        order.measure(page, seen, facts);
        for (const auto& item : page.items) {
            seen.mark(item.newest()->ordinal, item.key);
        }
    }
    mirror::PageFacts add(const std::vector<std::int64_t>& keys)
    {
        mirror::PageFacts facts;
        measure(page_of(keys), facts);
        order.end_page(facts);
        return facts;
    }

    mirror::WalkOrder order;
    mirror::SeenRows seen;
};

}  // namespace

TEST_CASE("keys that fall within pages and from page to page are descending, and the extremes of each page are known")
{
    Walk walk;
    const auto first = walk.add({9, 8, 7});
    CHECK(first.descending);
    CHECK(first.highest_key == 9);
    CHECK(first.lowest_key == 7);
    CHECK(walk.add({6, 5}).descending);
    const auto third = walk.add({8, 4});  // 8 was met: a row added in front moved the others down
    CHECK(third.descending);
    CHECK(third.falling);
}

TEST_CASE("a new key above one that the walk has met before breaks the order; so does a key that rises in a page")
{
    Walk walk;
    walk.add({20, 10});
    const auto entered = walk.add({15, 5});
    CHECK_FALSE(entered.descending);
    CHECK(entered.falling);
    const auto rising = walk.add({3, 4});
    CHECK_FALSE(rising.descending);
    CHECK_FALSE(rising.falling);
}

TEST_CASE("keys above the highest of the first page are counted on later pages")
{
    Walk walk;
    CHECK(walk.add({9, 8}).above_newest == 0);
    CHECK(walk.add({11, 10, 7}).above_newest == 2);
}

TEST_CASE("a page with a text key has no order, and the next page has one again")
{
    Walk walk;
    auto page = walk.page_of({9, 8});
    page.items.back().key.first.is_text = true;
    mirror::PageFacts facts;
    walk.measure(page, facts);
    walk.order.end_page(facts);
    CHECK_FALSE(facts.descending);
    CHECK_FALSE(facts.highest_key);
    CHECK(walk.add({7, 6}).descending);
}

TEST_CASE("pieces of one page are measured as one page")
{
    Walk walk;
    mirror::PageFacts facts;
    walk.measure(walk.page_of({9, 8}), facts);
    walk.measure(walk.page_of({8, 7}), facts);
    CHECK_FALSE(facts.falling);  // 8 follows 8
    CHECK(facts.highest_key == 9);
    CHECK(facts.lowest_key == 7);
}

TEST_CASE("in a list by parent the part after the parent's key orders the rows")
{
    const mirror::WalkOrder by_parent(true);
    mirror::ItemKey key;
    key.first.integer = 7;
    CHECK_FALSE(by_parent.order_of(key));
    key.rest.push_back({false, 42, ""});
    CHECK(by_parent.order_of(key) == 42);
    CHECK_FALSE(mirror::WalkOrder(false).order_of(key));
}

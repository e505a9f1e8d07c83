// Whether the keys of a walk fall from page to page, as in a list that shows its newest rows first.
#pragma once

#include "mirror/json/page.hpp"
#include "mirror/rows/states.hpp"
#include "mirror/values/walk.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace shelfd::mirror {

class WalkOrder {
public:
    // In a list by parent the parent's key is the same in every row: the part after it orders them.
    explicit WalkOrder(bool is_list_by_parent) : place_(is_list_by_parent ? 1 : 0) {}

    // Parts of a key that has an order.
    std::size_t parts() const { return place_ + 1; }
    // The number that orders the keys; empty where they have no order.
    std::optional<std::int64_t> order_of(const ItemKey& key) const;

    // Adds to `facts` what the keys of a page, or of one piece of it, say. The states of all items are known, and none
    // of them is marked in `seen` yet.
    void measure(const Page& page, const SeenRows& seen, PageFacts& facts);
    // All pieces of the page were measured.
    void end_page(const PageFacts& facts);

private:
    std::size_t place_;                          // of the part that orders, in the key
    bool any_page_ = false;                      // has ended
    std::optional<std::int64_t> first_highest_;  // highest key of the walk's first page
    std::optional<std::int64_t> lowest_;         // lowest key so far
    std::optional<std::int64_t> key_before_;     // on the same page
    bool has_order_ = true;                      // each key of the same page is a whole number
};

}  // namespace shelfd::mirror

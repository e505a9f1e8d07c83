// Whether the keys of a walk decrease from page to page, as in a list with its newest rows first.
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
    // In a list by parent all rows have the same parent key, so the next part orders them.
    explicit WalkOrder(bool is_list_by_parent) : place_(is_list_by_parent ? 1 : 0) {}

    // Number of parts of a key that has an order.
    std::size_t parts() const { return place_ + 1; }
    // The number that orders the keys; empty if they have no order.
    std::optional<std::int64_t> order_of(const ItemKey& key) const;

    // Adds to `facts` what the keys of a page, or a piece of it, show. The states of all items must be known, and none
    // may be marked in `seen` yet.
    void measure(const Page& page, const SeenRows& seen, PageFacts& facts);
    // Call after all pieces of the page were measured.
    void end_page(const PageFacts& facts);

private:
    std::size_t place_;                          // index in the key of the part that orders
    bool any_page_ = false;                      // a page has ended
    std::optional<std::int64_t> first_highest_;  // highest key of the walk's first page
    std::optional<std::int64_t> lowest_;         // lowest key so far
    std::optional<std::int64_t> key_before_;     // on the same page
    bool has_order_ = true;                      // all keys of the page are whole numbers
};

}  // namespace shelfd::mirror

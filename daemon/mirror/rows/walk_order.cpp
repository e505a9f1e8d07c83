#include "mirror/rows/walk_order.hpp"

#include <algorithm>

namespace shelfd::mirror {

std::optional<std::int64_t> WalkOrder::order_of(const ItemKey& key) const
{
    const bool counts = key.size() == parts() && !key[place_].is_text;
    return counts ? std::optional(key[place_].integer) : std::nullopt;
}

void WalkOrder::measure(const Page& page, const SeenRows& seen, PageFacts& facts)
{
    auto lowest = lowest_;
    for (const auto& item : page.items) {
        const auto order = order_of(item.key);
        has_order_ = has_order_ && order;
        if (!has_order_) {
            facts.highest_key.reset();
            facts.lowest_key.reset();
            facts.descending = false;
            facts.falling = false;
            return;
        }
        const std::int64_t key = *order;
        const bool is_new = !seen.contains(item.newest()->ordinal);
        // A row added at the front moves the last rows of a page to the next: a repeated key does not break the order.
        facts.falling = facts.falling && (!key_before_ || key < *key_before_);
        facts.descending =
            facts.descending && (!key_before_ || key < *key_before_) && (!is_new || !lowest_ || key < *lowest_);
        facts.highest_key = std::max(facts.highest_key.value_or(key), key);
        facts.lowest_key = std::min(facts.lowest_key.value_or(key), key);
        facts.above_newest += first_highest_ && key > *first_highest_ ? 1U : 0U;
        lowest = std::min(lowest.value_or(key), key);
        key_before_ = key;
    }
    lowest_ = lowest;
}

void WalkOrder::end_page(const PageFacts& facts)
{
    if (!any_page_) {
        first_highest_ = facts.highest_key;
        any_page_ = true;
    }
    key_before_.reset();
    has_order_ = true;
}

}  // namespace shelfd::mirror

#include "sync/walk/cursor_chain.hpp"

#include <utility>

namespace shelfd::sync {

bool CursorChain::follows(const Page& page)
{
    const auto before = std::exchange(cursor_key_, page.cursor_key);
    const bool is_first = std::exchange(is_first_, false);
    if (page.has_next && (!page.cursor_key || !page.lowest_key || page.lowest_key == page.highest_key)) {
        return false;
    }
    falls_ = is_first ? page.cursor_key == page.lowest_key : falls_;
    if (page.has_next && page.cursor_key != (falls_ ? page.lowest_key : page.highest_key)) {
        return false;
    }
    if (is_first || page.items == 0) {
        return true;
    }
    const bool has_keys = before && page.lowest_key && page.highest_key;
    return has_keys && (falls_ ? *page.highest_key < *before : *page.lowest_key > *before);
}

}  // namespace shelfd::sync

// The rows of a pass that wait to be inserted together: whether a page meets one of them, and their order.
#pragma once

#include "mirror/json/item_key.hpp"
#include "mirror/json/page.hpp"

#include <cstdint>
#include <vector>

namespace shelfd::mirror {

// Keys are unique: callers flush before adding a key that is already waiting (see `meets`).
class WaitingRows {
public:
    // The keys added from now on are in ascending order.
    void begin_run() { runs_.push_back(static_cast<std::uint32_t>(keys_.size())); }
    void add(const ItemKey& key) { keys_.push_back(key); }
    void clear();

    bool any() const { return !keys_.empty(); }
    bool meets(const Page& page) const;
    // Returns the rows by key. A row is identified by the number of rows added before it.
    std::vector<std::uint32_t> in_order() const;

private:
    struct Run {
        std::uint32_t first;
        std::uint32_t end;
    };
    std::vector<Run> runs() const;

    std::vector<ItemKey> keys_;
    std::vector<std::uint32_t> runs_;  // index at which each begins
};

}  // namespace shelfd::mirror

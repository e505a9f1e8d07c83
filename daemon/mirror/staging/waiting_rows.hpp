// The rows of a pass that wait to be inserted together: whether a page meets one of them, and in what order they go.
#pragma once

#include "mirror/json/item_key.hpp"
#include "mirror/json/page.hpp"

#include <cstdint>
#include <vector>

namespace shelfd::mirror {

// No key is in it twice: what meets a row that waits comes after it was inserted.
class WaitingRows {
public:
    // Keys that are added from now on ascend.
    void begin_run() { runs_.push_back(static_cast<std::uint32_t>(keys_.size())); }
    void add(const ItemKey& key) { keys_.push_back(key); }
    void clear();

    bool any() const { return !keys_.empty(); }
    bool meets(const Page& page) const;
    // By key; a row is named by how many were added before it.
    std::vector<std::uint32_t> in_order() const;

private:
    struct Run {
        std::uint32_t first;
        std::uint32_t end;
    };
    std::vector<Run> runs() const;

    std::vector<ItemKey> keys_;
    std::vector<std::uint32_t> runs_;  // where each begins
};

}  // namespace shelfd::mirror

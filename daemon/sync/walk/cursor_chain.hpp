// Checks whether the pages of a cursor list follow each other by key: each cursor is the key of the last row before it.
#pragma once

#include <cstdint>
#include <optional>

namespace shelfd::sync {

// Pure.
class CursorChain {
public:
    struct Page {
        std::uint64_t items = 0;
        bool has_next = false;
        std::optional<std::int64_t> cursor_key;  // the key in the next page's cursor, if that holds only a key
        std::optional<std::int64_t> lowest_key;  // both set only if all keys are integers
        std::optional<std::int64_t> highest_key;
    };
    void begin_anew() { *this = {}; }
    // True if the keys of the page lie after its cursor and up to the next page's. Call for each page until it returns
    // false.
    bool follows(const Page& page);

private:
    bool is_first_ = true;
    bool falls_ = false;                      // the cursors show that keys descend
    std::optional<std::int64_t> cursor_key_;  // the key after which the current page begins
};

}  // namespace shelfd::sync

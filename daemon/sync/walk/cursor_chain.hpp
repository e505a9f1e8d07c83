// Whether the pages of a cursor list follow each other by key: each cursor is the key of the last row before it.
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
        std::optional<std::int64_t> cursor_key;  // that the cursor of the next page holds, where it holds no more
        std::optional<std::int64_t> lowest_key;  // where all keys are integers
        std::optional<std::int64_t> highest_key;
    };
    void begin_anew() { *this = {}; }
    // Whether the page has the keys behind its cursor, up to that of the next one, and no others. Called for each page
    // as long as that is so.
    bool follows(const Page& page);

private:
    bool is_first_ = true;
    bool falls_ = false;                      // keys do, by the cursors
    std::optional<std::int64_t> cursor_key_;  // that the page asked for begins behind
};

}  // namespace shelfd::sync

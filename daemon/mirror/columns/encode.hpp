// How a member of an item is stored in a column, and whether it could be told from what is stored.
#pragma once

#include "mirror/columns/kind.hpp"
#include "mirror/json/instants.hpp"
#include "mirror/json/object.hpp"
#include "storage/sqlite.hpp"

#include <deque>
#include <string>
#include <string_view>

namespace shelfd::mirror {

enum class Storage : std::uint8_t { null, integer, real, text };

struct Encoded {
    Storage storage = Storage::null;
    std::int64_t integer = 0;
    double real = 0;
    std::string_view text;  // into the page, or into the workshop
    bool exact = true;      // decode() gives the member back; else its own text must be kept beside
};

// Room for texts that are not a slice of the page. What it gave is valid until `clear`.
class TextArena {
public:
    std::string& take();
    void clear() { used_ = 0; }

private:
    std::deque<std::string> texts_;
    std::size_t used_ = 0;
};

// A value that is not what the column is made for is stored as well as SQLite can (a text as text, true as 1), and not
// exact. Nothing is refused.
Encoded encode(Kind kind, const Member& member, TextArena& workshop);

// The JSON text of what a column of this kind holds.
std::string decode(Kind kind, const storage::Statement& row, int column);

}  // namespace shelfd::mirror

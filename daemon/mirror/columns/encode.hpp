// How a member of an item is stored in a column, and whether it can be restored from that exactly.
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
    std::string_view text;  // refers to the page or to the arena
    bool exact = true;      // decode() restores the member; if false, its own text must be stored as well
};

// Storage for texts that are not part of the page. References are valid until `clear`.
class TextArena {
public:
    std::string& take();
    void clear() { used_ = 0; }

private:
    std::deque<std::string> texts_;
    std::size_t used_ = 0;
};

// Stores a value that does not fit the column as well as SQLite can (text as text, true as 1), not exact. Rejects
// nothing.
Encoded encode(Kind kind, const Member& member, TextArena& workshop);

// Returns the JSON text of a value in a column of this kind.
std::string decode(Kind kind, const storage::Statement& row, int column);

}  // namespace shelfd::mirror

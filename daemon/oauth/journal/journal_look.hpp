// What format a token journal has, and whether this program would use it: read without changing anything.
#pragma once

#include "base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace shelfd::oauth {

struct JournalLook {
    std::uint16_t format = 0;       // the highest format of its records; 0: it has none
    std::uint64_t generation = 0;   // of its newest token set; 0: none, or written by a later version
    std::size_t records = 0;        // that this version can read
    std::size_t later_records = 0;  // of a later major version: this version changes nothing
    std::size_t unreadable = 0;     // slots with other bytes
};

// Reads the headers of all slots and no token. Takes no lock: a daemon may be using the journal. Errors: not_found if
// there is no file, else those of `open_regular_file`, with the path.
Result<JournalLook> look_at_journal(const std::string& path);

}  // namespace shelfd::oauth

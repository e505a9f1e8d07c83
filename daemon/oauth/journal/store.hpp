// The place of one library's set on disk: directories, their lock, and the openers of its two journals.
#pragma once

#include "oauth/journal/journal_pair.hpp"
#include "storage/filesystem.hpp"

#include <string>

namespace shelfd::oauth {

struct Directories {
    std::string tokens;       // of all libraries
    std::string tokens_copy;  // the same on another device; "" = the second copy is in `tokens`
    std::string refuge{};     // memory that outlives the process (/run/shelfd), for a set that no disk takes; "" = none
};

// Before it opens a journal, each opener creates and locks its directory, unless that was done and the directory is
// still in place. The lock is held as long as a copy of the opener lives. Openers block. Errors: busy (another daemon;
// the text names the process), permission, config (a file system that is not durable), storage (also a file system that
// is not mounted, see TokenRoots).
struct Store {
    Journal::Opener a;
    Journal::Opener b;
    Refuge refuge;
    std::string places{};  // paths of both journals, for people
    // Reads the names that the library had before, from a file in either directory.
    std::function<std::vector<std::string>()> former_names = {};
};

// Accesses no files.
Store store_of(const Directories& directories, const std::string& library, storage::Safety safety);

}  // namespace shelfd::oauth

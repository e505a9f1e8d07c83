// Where one library's set lives on disk: its directories, their lock, and how its two journals are opened.
#pragma once

#include "oauth/journal/journal_pair.hpp"
#include "storage/filesystem.hpp"

#include <string>

namespace shelfd::oauth {

struct Directories {
    std::string tokens;       // of all libraries
    std::string tokens_copy;  // the same on another device; "" = the copy lies beside the first
    std::string refuge{};     // memory that outlives the process (/run/shelfd), for a set that no disk takes; "" = none
};

// Each opener claims its directory first: makes it and locks it, where that was not done or the directory was replaced.
// What was claimed stays locked as long as a copy of its opener lives. Openers block. Errors: busy (another daemon; the
// text says which process), permission, config (a file system that cannot keep a promise), storage.
struct Store {
    Journal::Opener a;
    Journal::Opener b;
    Refuge refuge;
    std::string places{};  // of both journals, for people
};

// Touches nothing.
Store store_of(const Directories& directories, const std::string& library, storage::Safety safety);

}  // namespace shelfd::oauth

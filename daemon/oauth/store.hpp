// Where one library's set lives on disk: its directories, their lock, and how its two journals are opened.
#pragma once

#include "oauth/journal_pair.hpp"
#include "storage/file_lock.hpp"
#include "storage/filesystem.hpp"

#include <string>
#include <vector>

namespace shelfd::oauth {

struct Directories {
    std::string tokens;       // of all libraries
    std::string tokens_copy;  // the same on another device; "" = the copy lies beside the first
    std::string refuge{};     // memory that outlives the process (/run/shelfd), for a set that no disk takes; "" = none
};

// The locks are held as long as the store lives.
struct Store {
    Journal::Opener a;
    Journal::Opener b;
    Refuge refuge;
    std::vector<storage::FileLock> locks;
};

// Creates what is missing. Blocks. Errors: busy (another daemon; the text says which process), permission, config (a
// file system that cannot keep a promise), storage.
Result<Store> open_store(const Directories& directories, const std::string& library, storage::Safety safety);

}  // namespace shelfd::oauth

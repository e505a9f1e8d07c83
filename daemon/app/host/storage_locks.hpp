// Locks the storage for this process.
#pragma once

#include "config/model/model.hpp"
#include "storage/file_lock.hpp"

#include <string>
#include <vector>

namespace shelfd::app {

struct StorageLocks {
    std::vector<storage::FileLock> held;
    // Why storage.tokens is not locked, but storage.tokens_copy is; why storage.mirrors is not.
    std::vector<std::string> troubles;
    bool has_mirrors = false;  // storage.mirrors is locked
};

// If `mirrors` is an error, that directory is not on its file system: it is not written to, and the tokens are locked
// all the same.
// Blocks. Errors: busy (another daemon), storage, permission, config (a file system that cannot keep a token set).
Result<StorageLocks> lock_storage(const config::Storage& storage, const Result<void>& mirrors);
// Later. Blocks. Errors: busy, storage, permission.
Result<void> lock_mirrors(StorageLocks& locks, const config::Storage& storage);

}  // namespace shelfd::app

// Locks the storage for this process.
#pragma once

#include "config/model/model.hpp"
#include "storage/file_lock.hpp"

#include <string>
#include <vector>

namespace shelfd::app {

struct StorageLocks {
    std::vector<storage::FileLock> held;
    std::string trouble;  // why storage.tokens is not locked, but storage.tokens_copy is; "" = it is locked
};

// Blocks. Errors: busy (another daemon), storage, permission, config (a file system that cannot keep a token set).
Result<StorageLocks> lock_storage(const config::Storage& storage);

}  // namespace shelfd::app

// The storage that this process works on, and nobody else.
#pragma once

#include "config/model/model.hpp"
#include "storage/file_lock.hpp"

#include <string>
#include <vector>

namespace shelfd::app {

struct StorageLocks {
    std::vector<storage::FileLock> held;
    std::string trouble;  // why storage.tokens is not among them, and storage.tokens_copy is; "" = it is
};

// Blocks. Errors: busy (another daemon), storage, permission, config (a file system that cannot keep a token set).
Result<StorageLocks> lock_storage(const config::Storage& storage);

}  // namespace shelfd::app

// One program at a time changes the files of a configuration.
#pragma once

#include "base/result.hpp"
#include "ctl/context/context.hpp"
#include "storage/file_lock.hpp"

#include <chrono>

namespace shelfd::ctl {

inline constexpr std::chrono::seconds lock_patience{60};

// Locks the configuration with this main file until the returned object is destroyed. The lock file is beside the main
// file; if root creates it, it belongs to the owner of the main file. Waits for another program, and says so after a
// second. Errors: busy after `patience`, which names the process that has the lock; stopped by a signal; permission,
// storage.
Result<storage::FileLock> lock_configuration(const Context& context, const std::string& main_file,
                                             std::chrono::milliseconds patience = lock_patience);

// The file that a link names: it is the one that is read, replaced and locked.
std::string real_path(const std::string& path);

}  // namespace shelfd::ctl

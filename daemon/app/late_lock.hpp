// Locks the storage; the directory of all mirrors only once its file system is mounted.
#pragma once

#include "app/host/storage_locks.hpp"
#include "app/services/daemon_services.hpp"

namespace shelfd::app {

// See `lock_storage`. Logs what is not locked. Blocks.
Result<StorageLocks> lock_storage_in_place(const config::Storage& storage, const Log& log);

// Tries to lock the directory of all mirrors every `LibrarySet::between_openings`. Returns once it is locked, at once
// if it is locked already. A failure, such as another daemon there, is logged. References must outlive the coroutine.
asio::awaitable<void> lock_mirrors_later(StorageLocks& locks, DaemonServices& services);

}  // namespace shelfd::app

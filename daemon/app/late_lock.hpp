// Locks the storage; the directory of all mirrors only once its file system is mounted.
#pragma once

#include "app/host/storage_locks.hpp"
#include "app/services/daemon_services.hpp"

namespace shelfd::app {

// See `lock_storage`. Logs what is not locked. Blocks.
Result<StorageLocks> lock_storage_in_place(const config::Storage& storage, const Log& log);

// Looks every 20 seconds, as for libraries that could not be opened; returns when it is locked, at once if it is. A
// failure, such as another daemon there, is logged. References must outlive it.
asio::awaitable<void> lock_mirrors_later(StorageLocks& locks, DaemonServices& services);

}  // namespace shelfd::app

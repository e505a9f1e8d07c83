// How many files a daemon with that many libraries may have open. Shared by the daemon and `shelfctl doctor`.
#pragma once

#include <cstddef>
#include <cstdint>

namespace shelfd::config {

// A lock and two journals for each library; 32 open mirrors with -wal and -shm; connections to the service, and what
// the process itself has open.
constexpr std::uint64_t open_files_needed(std::size_t libraries)
{
    return static_cast<std::uint64_t>(libraries) * 3 + 32 * 3 + 160;
}

// Connections of the control socket that may come on top.
constexpr std::uint64_t open_files_of_clients = 256;

}  // namespace shelfd::config

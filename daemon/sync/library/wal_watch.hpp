// Detects that a reader keeps the WAL of a mirror from being emptied.
#pragma once

#include "sync/library/context.hpp"

#include <cstdint>
#include <optional>
#include <vector>

#include <sys/types.h>

namespace shelfd::sync {

// The state of the WAL, read in the mirror's lane.
struct WalLook {
    std::uint64_t bytes = 0;
    std::optional<bool> emptied = {};  // true if a checkpoint copied all of it back; empty if none was made
    std::vector<pid_t> readers = {};   // other processes inside a read transaction, if it was not
};

// In the mirror's lane: tries a checkpoint that waits for nobody, and looks who prevents it. A mirror that was closed
// is closed again. Errors: as Mirror::checkpoint.
Result<WalLook> try_to_empty_wal(LibraryContext& context);

// Records it for status and metrics. Logs once when a pinned WAL has grown large, and once when that is over.
void record_wal(LibraryContext& context, const WalLook& look);

}  // namespace shelfd::sync

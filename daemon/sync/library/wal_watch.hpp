// Detects that a reader keeps the WAL of a mirror from being emptied.
#pragma once

#include "sync/library/context.hpp"

#include <cstdint>
#include <optional>

namespace shelfd::sync {

// The state of the WAL, read in the mirror's lane.
struct WalLook {
    std::uint64_t bytes = 0;
    std::optional<bool> emptied = {};  // true if a checkpoint copied all of it back; empty if none was made
};

// Records it for status and metrics. Logs once when a pinned WAL has grown large, and once when that is over.
void record_wal(LibraryContext& context, const WalLook& look);

}  // namespace shelfd::sync

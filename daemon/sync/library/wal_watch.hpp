// Whether a reader keeps the WAL of a mirror from being emptied.
#pragma once

#include "sync/library/context.hpp"

#include <cstdint>
#include <optional>

namespace shelfd::sync {

// What a look at the mirror told; made in its lane.
struct WalLook {
    std::uint64_t bytes = 0;
    std::optional<bool> emptied = {};  // by a checkpoint: all of it was copied back; nothing = none was made
};

// Notes it for status and metrics. One that grows large while somebody pins it is logged, once, and so is its end.
void record_wal(LibraryContext& context, const WalLook& look);

}  // namespace shelfd::sync

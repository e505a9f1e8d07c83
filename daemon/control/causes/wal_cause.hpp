// A write-ahead log that cannot be emptied.
#pragma once

#include "control/causes/cause_set.hpp"
#include "control/model/status.hpp"

#include <optional>

namespace shelfd::control {

// Empty unless a reader has kept the WAL from being emptied for a while. A disk that refuses is another cause.
std::optional<Finding> find_pinned_wal(const LibraryStatus& library, Instant now);

}  // namespace shelfd::control

// The rows about the library itself, and about those that read its change feed.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "mirror/values/library_record.hpp"
#include "storage/sqlite.hpp"

namespace shelfd::mirror {

// Replaces what is in `_library` and `_consumers`, in one transaction of its own; without consumers, those stay.
// Returns true if there are any then.
Result<bool> save_library(storage::Database& database, const LibraryRecord& record, Instant now);
// Empty if nothing was recorded.
Result<std::optional<RecordedTokenState>> load_token_state(storage::Database& database);

}  // namespace shelfd::mirror

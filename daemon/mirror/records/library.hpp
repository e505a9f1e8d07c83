// The rows about the library itself, and about those that read its change feed.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "mirror/values/library_record.hpp"
#include "storage/sqlite.hpp"

namespace shelfd::mirror {

// Replaces the rows of `_library` and, if `record` has a list of consumers, those of `_consumers`, in a transaction of
// its own. Returns true if `_consumers` has rows afterwards.
Result<bool> save_library(storage::Database& database, const LibraryRecord& record, Instant now);
// Empty if nothing was recorded.
Result<std::optional<RecordedTokenState>> load_token_state(storage::Database& database);

}  // namespace shelfd::mirror

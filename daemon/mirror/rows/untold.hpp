// `_untold`: where the change feed says nothing of rows that a table got, so that no position from before is gone on
// from.
#pragma once

#include "base/result.hpp"
#include "storage/sqlite.hpp"

#include <string>

namespace shelfd::mirror {

// In the caller's transaction, which changes rows of the table and writes none of that to the feed: a first load, older
// windows of a ledger. Positions in the feed from before are too old for this table from then on.
Result<void> record_untold(storage::Database& database, const std::string& resource);

}  // namespace shelfd::mirror

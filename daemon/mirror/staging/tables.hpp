// The additional tables of a pass, and their conversion when keys turn out to have mixed types.
#pragma once

#include "base/result.hpp"
#include "mirror/columns/columns.hpp"
#include "mirror/records/resource.hpp"
#include "storage/sqlite.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace shelfd::mirror {

// Creates `_staging_` with all stored columns, and `_seen_`.
Result<void> create_staging(storage::Database& database, const ResourceFacts& facts, const Columns& columns);
// Drops both if they exist, for a pass that was abandoned or ended by a crash.
Result<void> drop_staging(storage::Database& database, const std::string& resource);
// Drops those of all resources, also retired ones. Call while no pass is open, in the caller's transaction.
Result<void> drop_all_staging(storage::Database& database);

// Rebuilds the table that readers see, and its states, with the key columns' kinds in `columns`: whole numbers and
// texts cannot share a typed column, because some would become equal. In the caller's transaction; the rows that
// readers see do not change.
Result<void> rebuild_key(storage::Database& database, const ResourceFacts& facts, const Columns& columns);
// The same for the tables of the pass.
Result<void> rebuild_staging_key(storage::Database& database, const ResourceFacts& facts, const Columns& columns);

// Adds the stored columns at the indexes `added` to a table of `rows` rows, either the one that readers see or one of a
// pass. In the caller's transaction.
Result<void> add_columns(storage::Database& database, const ResourceFacts& facts, const std::string& table,
                         const Columns& columns, const std::vector<std::size_t>& added, std::uint64_t rows);

}  // namespace shelfd::mirror

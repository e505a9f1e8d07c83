// The tables a pass needs beside the one that readers see, and what becomes of them when the key turns out mixed.
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

// `_staging_` with all stored columns, and `_seen_`.
Result<void> create_staging(storage::Database& database, const ResourceFacts& facts, const Columns& columns);
// Both, if they are there: of a pass that was abandoned, or that a crash ended.
Result<void> drop_staging(storage::Database& database, const std::string& resource);
// Of all resources, the retired ones included: for a moment when no pass is open. In the caller's transaction.
Result<void> drop_all_staging(storage::Database& database);

// The table that readers see, and its states, with key columns of the kinds in `columns` instead of those they have:
// whole numbers and texts cannot share a typed column without some of them becoming equal. In the caller's
// transaction; readers see the same rows before and after.
Result<void> rebuild_key(storage::Database& database, const ResourceFacts& facts, const Columns& columns);
// The same for the tables of the pass.
Result<void> rebuild_staging_key(storage::Database& database, const ResourceFacts& facts, const Columns& columns);

// The stored columns at the places `added` join a table of `rows` rows, the one that readers see or one of a pass. In
// the caller's transaction.
Result<void> add_columns(storage::Database& database, const ResourceFacts& facts, const std::string& table,
                         const Columns& columns, const std::vector<std::size_t>& added, std::uint64_t rows);

}  // namespace shelfd::mirror

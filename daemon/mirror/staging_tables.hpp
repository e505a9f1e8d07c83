// The tables a pass needs beside the one that readers see, and what becomes of them when the key turns out mixed.
#pragma once

#include "base/result.hpp"
#include "mirror/columns.hpp"
#include "mirror/resource_facts.hpp"
#include "storage/sqlite.hpp"

#include <string>

namespace shelfd::mirror {

// `_staging_` with all stored columns, and `_seen_`.
Result<void> create_staging(storage::Database& database, const ResourceFacts& facts, const Columns& columns);
// Both, if they are there: of a pass that was abandoned, or that a crash ended.
Result<void> drop_staging(storage::Database& database, const std::string& resource);
// Of all resources, the retired ones included: for a moment when no pass is open. In the caller's transaction.
Result<void> drop_all_staging(storage::Database& database);
Result<bool> has_table(storage::Database& database, const std::string& table);

// The table that readers see, and its states, with key columns of the kinds in `columns` instead of those they have:
// whole numbers and texts cannot share a typed column without some of them becoming equal. In the caller's
// transaction; readers see the same rows before and after.
Result<void> rebuild_key(storage::Database& database, const ResourceFacts& facts, const Columns& columns);
// The same for the tables of the pass.
Result<void> rebuild_staging_key(storage::Database& database, const ResourceFacts& facts, const Columns& columns);

}  // namespace shelfd::mirror

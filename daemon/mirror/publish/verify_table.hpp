// Verifies tables before a pass relies on them: reads rows that the pass does not write, as readers would.
#pragma once

#include "base/result.hpp"
#include "mirror/records/resource.hpp"
#include "storage/sqlite.hpp"

#include <string>
#include <string_view>

namespace shelfd::mirror {

// Reads all pages of a table, its details and their other tables, except overflow pages of very long rows: each b-tree
// is read from its first leaf to its last. Number and sum of the keys (of texts, of their hashes) must match the
// states of the rows, on which passes rely. Errors: corrupt, with the difference.
Result<void> verify_resource(storage::Database& database, const ResourceFacts& facts);
// Does the same for all tables.
Result<void> verify_all_tables(storage::Database& database);

}  // namespace shelfd::mirror

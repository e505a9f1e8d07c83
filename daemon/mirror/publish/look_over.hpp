// A look at what a pass vouches for: rows that it did not write are read where readers would read them.
#pragma once

#include "base/result.hpp"
#include "mirror/records/resource.hpp"
#include "storage/sqlite.hpp"

#include <string>
#include <string_view>

namespace shelfd::mirror {

// Every page of a table, of its details and of what is kept beside both, but for the pages behind the first of a very
// long row: each b-tree is walked from its first leaf to its last. The number and the sum of the keys are those of the
// rows' states, which passes go by. Errors: corrupt, with what differs.
Result<void> verify_resource(storage::Database& database, const ResourceFacts& facts);
// Every table there is.
Result<void> verify_all_tables(storage::Database& database);

}  // namespace shelfd::mirror

// Because a person asked: gives a column the kind that fits all its values.
#pragma once

#include "base/result.hpp"
#include "mirror/records/resource.hpp"
#include "mirror/values/specs.hpp"
#include "storage/sqlite.hpp"

#include <string>

namespace shelfd::mirror {

// Rewrites all rows of the table in one transaction; readers see the old or the new column. No pass over the resource
// may be open. `column` is its name or its key. Errors: not_found, usage (a key column).
Result<RetypeOutcome> retype_column(storage::Database& database, const ResourceFacts& facts, const std::string& column);

}  // namespace shelfd::mirror

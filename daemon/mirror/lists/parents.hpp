// Lists by parent: the rows of one table name the slices of another.
#pragma once

#include "base/result.hpp"
#include "mirror/records/resource.hpp"
#include "mirror/values/lists.hpp"
#include "storage/sqlite.hpp"

#include <string>
#include <vector>

namespace shelfd::mirror {

// Returns the values of `member` in the rows of `resource`. Errors: config, if no row has the member, or it is not a
// key.
Result<ParentRows> parent_rows(storage::Database& database, const std::string& resource, const std::string& member);

// Returns the number of a parent, the place of its children; for a new parent the next free one. In the caller's
// transaction or without one.
Result<std::int64_t> number_of(storage::Database& database, const std::string& resource, const std::string& parent);

}  // namespace shelfd::mirror

// Lists by parent: the rows of one table name the slices of another.
#pragma once

#include "base/result.hpp"
#include "mirror/records/resource.hpp"
#include "mirror/values/lists.hpp"
#include "storage/sqlite.hpp"

#include <string>
#include <vector>

namespace shelfd::mirror {

// What the rows of `resource` have as `member`. Errors: config, for a member that no row has, or that is no key.
Result<ParentRows> parent_rows(storage::Database& database, const std::string& resource, const std::string& member);

// The number of a parent in the places of its children, given once. In the caller's transaction or without one.
Result<std::int64_t> number_of(storage::Database& database, const std::string& resource, const std::string& parent);

}  // namespace shelfd::mirror

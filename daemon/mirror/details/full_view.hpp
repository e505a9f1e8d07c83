// RESOURCE_full: each row of a list beside its detail.
#pragma once

#include "base/result.hpp"
#include "storage/sqlite.hpp"

#include <string>

namespace shelfd::mirror {

// Makes the view, or makes it anew when a table has other columns than it shows; writes nothing otherwise. In the
// caller's transaction. Columns of the list keep their names; those of the detail that have the same name get the
// suffix _detail (then _detail_2, …); `_fetched_at` is NULL where the detail is not here yet.
Result<void> align_full_view(storage::Database& database, const std::string& resource);

}  // namespace shelfd::mirror

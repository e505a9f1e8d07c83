// RESOURCE_full: each row of a list with its detail.
#pragma once

#include "base/result.hpp"
#include "storage/sqlite.hpp"

#include <string>

namespace shelfd::mirror {

// Creates the view, or replaces it if the columns of a table have changed; otherwise writes nothing. In the caller's
// transaction. Columns of the list keep their names; those of the detail with the same name get the suffix _detail
// (then _detail_2, …). `_fetched_at` is NULL if there is no detail yet.
Result<void> align_full_view(storage::Database& database, const std::string& resource);

}  // namespace shelfd::mirror

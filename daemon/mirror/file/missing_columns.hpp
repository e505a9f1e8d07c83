// Columns that later versions added to tables of the first one.
#pragma once

#include "base/result.hpp"
#include "storage/sqlite.hpp"

namespace shelfd::mirror {

// Adds those that are not there yet, empty.
Result<void> add_missing_columns(storage::Database& database);

}  // namespace shelfd::mirror

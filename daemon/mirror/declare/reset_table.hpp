// A table that goes, with all that is known of its rows, and is filled anew by the next pass.
#pragma once

#include "base/result.hpp"
#include "storage/sqlite.hpp"

#include <string>

namespace shelfd::mirror {

// Rows under another key are other rows: they go, and their details with them.
Result<void> reset_table(storage::Database& database, const std::string& resource);

// The same, and what a member that is excluded from now on has left elsewhere: changes, samples, and every free page of
// the file is overwritten. In the caller's transaction; the WAL holds the old pages until it is truncated.
Result<void> scrub(storage::Database& database, const std::string& resource);

}  // namespace shelfd::mirror

// Removes a table with all that is known of its rows; the next pass fills it again.
#pragma once

#include "base/result.hpp"
#include "storage/sqlite.hpp"

#include <string>

namespace shelfd::mirror {

// Rows under another key are different rows: removes them and their details.
Result<void> reset_table(storage::Database& database, const std::string& resource);

// The same; also removes the table's changes and samples, which may contain newly excluded members, and overwrites all
// free pages of the file. In the caller's transaction; the WAL has the old pages until it is truncated.
Result<void> scrub(storage::Database& database, const std::string& resource);

}  // namespace shelfd::mirror

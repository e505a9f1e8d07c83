// Removes a table with all that is known of its rows; the next pass fills it again.
#pragma once

#include "base/result.hpp"
#include "storage/sqlite.hpp"

#include <string>

namespace shelfd::mirror {

// Rows under another key are different rows: removes them and their details.
Result<void> reset_table(storage::Database& database, const std::string& resource);

// The same, and removes what a newly excluded member left elsewhere: changes, samples, and all free pages are
// overwritten. In the caller's transaction; the WAL has the old pages until it is truncated.
Result<void> scrub(storage::Database& database, const std::string& resource);

}  // namespace shelfd::mirror

// `_untold`: marks where the change feed lacks rows that a table received, so that readers do not continue from an
// earlier position.
#pragma once

#include "base/result.hpp"
#include "storage/sqlite.hpp"

#include <string>

namespace shelfd::mirror {

// Call in a transaction that changes rows of the table without writing them to the feed: a first load, older windows of
// a ledger. Earlier positions in the feed are then invalid for this table.
Result<void> record_untold(storage::Database& database, const std::string& resource);

}  // namespace shelfd::mirror

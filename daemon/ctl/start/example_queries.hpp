// Three queries that a table's own columns and values suggest.
#pragma once

#include "base/result.hpp"
#include "ctl/mirror/schema.hpp"
#include "storage/sqlite.hpp"

#include <string>
#include <vector>

namespace shelfd::ctl {

// Queries about a table: some rows, the most frequent values of a column, and an amount or a time. They read the
// first 1,000 rows at most. Each query has been prepared, so that it runs. At least one, at most three.
Result<std::vector<std::string>> example_queries(storage::Database& database, const TableView& table);

}  // namespace shelfd::ctl

// Makes RowBatch available to SQLite; for use within storage/.
#pragma once

#include <cstddef>

struct sqlite3;

namespace shelfd::storage {

// The type name of a bound pointer to a RowBatch (https://www.sqlite.org/bindptr.html).
inline constexpr const char* row_batch_pointer = "shelfd row batch";

// Registers a table-valued function `name` with columns c0, c1, … whose argument is a bound RowBatch, for the life of
// the connection. Returns SQLite's result code.
int offer_row_source(sqlite3* database, const char* name, std::size_t columns);

}  // namespace shelfd::storage

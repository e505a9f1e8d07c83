// Makes RowBatch known to SQLite; for the classes of this floor.
#pragma once

#include <cstddef>

struct sqlite3;

namespace shelfd::storage {

// What a bound pointer must be called to be taken for a RowBatch (https://www.sqlite.org/bindptr.html).
inline constexpr const char* row_batch_pointer = "shelfd row batch";

// A table-valued function `name` with columns c0, c1, … whose argument is a bound RowBatch; until the connection ends.
// Returns SQLite's code.
int offer_row_source(sqlite3* database, const char* name, std::size_t columns);

}  // namespace shelfd::storage

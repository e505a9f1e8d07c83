// Reads a database file that nobody writes to, without leaving a trace of it.
#pragma once

#include "storage/sqlite.hpp"

#include <string>

namespace shelfd::storage {

// A connection to an empty database, to which the file at `path` is attached as `name`, read-only and immutable: no side
// file is read or made, as on a read-only disk. Not for a file whose -wal has content. Blocks, but waits for nobody.
// Errors: those of `Database::open`.
Result<Database> open_at_rest(const std::string& path, const std::string& name);

}  // namespace shelfd::storage

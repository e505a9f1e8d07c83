// What the SQLite library says: its result codes as our errors, and its version.
#pragma once

#include "base/result.hpp"

struct sqlite3;

namespace shelfd::storage {

// `code` is what the call returned; the text is that of the connection's last failure. `database` may be null.
Error sqlite_error(sqlite3* database, int code);

// True if SQLite could not open or create a file, or was to write one that it may only read.
bool is_denied_a_file(const Error& error);

// "3.40.1"
const char* sqlite_version();

}  // namespace shelfd::storage

// Turns SQLite's result codes into our errors.
#pragma once

#include "base/result.hpp"

struct sqlite3;

namespace shelfd::storage {

// `code` is what the call returned; the text is that of the connection's last failure. `database` may be null.
Error sqlite_error(sqlite3* database, int code);

}  // namespace shelfd::storage

// Opens files and databases that may be anything: what is said of them, and how one is read without a trace.
#pragma once

#include "base/result.hpp"
#include "storage/sqlite.hpp"

#include <string>

namespace shelfd::storage {

// Turns an error of open_regular_file into "cannot open PATH: …", with the kinds of errno_error; kind permission if it
// is not a regular file.
Error cannot_open(const std::string& path, const Error& error);

// SQLite would block on a named pipe until the other end is opened, and would read a device. Fails with kind usage for
// these; a file that is not there is left to SQLite.
Result<void> check_waits_for_nobody(const std::string& path);

enum class Writers {
    perhaps,  // another connection may write to the file meanwhile
    none,     // the file is at rest: no side files are looked for or made (`immutable`)
};

// "file:/x/y.db?mode=ro", with escaped characters.
std::string read_only_uri(const std::string& path, Writers writers);

// A connection to an empty database, to which the file at `path` is attached as `name`, read-only and immutable: no
// side file is read or made, as on a read-only disk. Not for a file whose -wal has content. Blocks, but waits for
// nobody. Errors: those of `Database::open`.
Result<Database> open_at_rest(const std::string& path, const std::string& name);

}  // namespace shelfd::storage

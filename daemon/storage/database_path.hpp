// Paths of database files, as SQLite takes them.
#pragma once

#include "base/result.hpp"

#include <string>

namespace shelfd::storage {

// SQLite would block on a named pipe until the other end is opened, and would read a device. Fails with kind usage for
// these; a file that is not there is left to SQLite.
Result<void> check_waits_for_nobody(const std::string& path);

enum class Writers {
    perhaps,  // another connection may write to the file meanwhile
    none,     // the file is at rest: no side files are looked for or made (`immutable`)
};

// "file:/x/y.db?mode=ro", with escaped characters.
std::string read_only_uri(const std::string& path, Writers writers);

}  // namespace shelfd::storage

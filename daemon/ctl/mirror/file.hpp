// Finds the mirror of a library, for verbs that read it without the daemon.
#pragma once

#include "base/result.hpp"
#include "ctl/context/context.hpp"
#include "storage/sqlite.hpp"

#include <string>
#include <vector>

namespace shelfd::ctl {

// The libraries with a mirror in that directory, in alphabetical order; none if it cannot be read.
std::vector<std::string> known_mirrors(const std::string& directory);

// For the command's library. The configuration names the directory of mirrors; a member of the readers' group may not
// read it, so the daemon is asked. Errors: not_found, with the existing names; permission.
Result<std::string> find_mirror(const Context& context);

// The same, opened for reading.
Result<storage::Database> open_mirror(const Context& context);

// Opens that mirror. Errors: see with_cure.
Result<storage::Database> open_to_read(const std::string& path);

// SQLite reports a write to a read-only database if a reader finds no WAL: the sentence for people instead. Any other
// error unchanged.
Error with_cure(const Error& error, const std::string& path);

}  // namespace shelfd::ctl

// Finds the mirror of a library, for verbs that read it without the daemon.
#pragma once

#include "base/result.hpp"
#include "ctl/context/context.hpp"
#include "storage/sqlite.hpp"

#include <string>

namespace shelfd::ctl {

// For the command's library. The configuration names the directory of mirrors; a member of the readers' group may not
// read it, so the daemon is asked. Errors: not_found, with the existing names; permission.
Result<std::string> find_mirror(const Context& context);

// The same, opened for reading.
Result<storage::Database> open_mirror(const Context& context);

}  // namespace shelfd::ctl

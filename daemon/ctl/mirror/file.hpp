// Where the mirror of a library is, for verbs that read it without the daemon.
#pragma once

#include "base/result.hpp"
#include "ctl/context/context.hpp"
#include "storage/sqlite.hpp"

#include <string>

namespace shelfd::ctl {

// Of the command's library. The configuration says where mirrors are, but a member of the readers' group may not read
// it; then the daemon does. Errors: not_found, naming those there are; permission.
Result<std::string> find_mirror(const Context& context);

// The same, opened to be read.
Result<storage::Database> open_mirror(const Context& context);

}  // namespace shelfd::ctl

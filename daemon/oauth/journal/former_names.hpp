// The names that a library had before, kept beside its token journals: their records have the name of their time.
#pragma once

#include "base/result.hpp"

#include <string>
#include <vector>

namespace shelfd::oauth {

// `directory`: that of one library's journals, such as tokens/antwerp. All functions block.

// The names in the order of the renames; none if there is no such file. A file that cannot be read counts as none: the
// journals are then barred, not lost.
std::vector<std::string> read_former_names(const std::string& directory);

// Adds a name, once. The list is replaced whole and is durable on return. Errors: storage, permission.
Result<void> add_former_name(const std::string& directory, const std::string& name);

}  // namespace shelfd::oauth

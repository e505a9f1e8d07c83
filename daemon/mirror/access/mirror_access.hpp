// Who besides the daemon may read a mirror for which `readers` are configured.
#pragma once

#include "base/accounts/accounts.hpp"
#include "base/result.hpp"

#include <string>
#include <vector>

namespace shelfd::mirror {

// Lets exactly these users and groups read the files of a mirror's directory that belong to it: those that exist, and
// by a default access list those that are created later. Files for the daemon alone stay so. The owning group, which
// may read other mirrors, has no rights. If that fails, nobody but the daemon may read the files. The directory must
// exist; a file need not. Without `readers`, the rights of the owning group return if this function has taken them, and
// other access lists stay as they are. Errors: storage, permission; see storage::lacks_access_lists.
// Opens no file, since that would drop SQLite's locks.
Result<void> set_mirror_access(const std::string& directory, const std::string& file,
                               const std::vector<Account>& readers);

// The users and groups to whom `set_mirror_access` has given a directory; without names. None for any other directory.
std::vector<Account> find_mirror_access(const std::string& directory);

}  // namespace shelfd::mirror

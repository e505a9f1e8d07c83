// The right to pass through the directory of all mirrors, for readers of single libraries: they reach the mirrors that
// they may read, and cannot list the others.
#pragma once

#include "base/result.hpp"
#include "config/model/model.hpp"
#include "control/model/status.hpp"
#include "storage/access/access_list.hpp"

#include <string>
#include <vector>

namespace shelfd::app {

// The changes from the rights that libraries' readers have to those that they need. Others that are named in the access
// list keep what they have.
struct SearchRights {
    std::vector<storage::NamedRight> wanted;
    std::vector<storage::NamedRight> obsolete;  // given for readers of a library before, now without a use
};

// Reads the access lists of the mirrors that are there, configured or not, so call it before they change. Blocks.
SearchRights plan_search_rights(const std::string& mirrors, const config::Libraries& libraries);
// Before the mirrors are opened. Blocks. Errors: storage, permission; see storage::lacks_access_lists.
Result<void> grant_search_rights(const std::string& mirrors, const SearchRights& rights);
// After that. Blocks. What cannot be withdrawn stays: it opens no mirror.
void withdraw_search_rights(const std::string& mirrors, const SearchRights& rights);

// `library` "": readers of any library cannot pass through `path`; else they cannot read that library's mirror there.
control::Notice describe_closed(const std::string& library, const std::string& path, const Error& error);

}  // namespace shelfd::app

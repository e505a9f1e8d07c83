// What is wrong with a table.
#pragma once

#include "control/model/status.hpp"

#include <string>
#include <vector>

namespace shelfd::control {

// That of the last pass. After a restart the mirror alone remembers what blocks a table.
Trouble trouble_of(const ResourceStatus& table);

// Whom to ask, once for all these tables, which the service refuses to the token set.
std::string ask_for_permissions(const LibraryStatus& library, const std::vector<std::string>& tables);

}  // namespace shelfd::control

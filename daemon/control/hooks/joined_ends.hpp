// The body of one call for several incidents that are over.
#pragma once

#include <string>
#include <vector>

namespace shelfd::control {

// Of bodies of calls `recovered` for one hook, at least one: all members of the first, and every incident in `over`. Of
// several, the worst severity, the libraries of all, no `why`, and a line for a chat that names them.
std::string join_ends(const std::vector<std::string>& bodies);

}  // namespace shelfd::control

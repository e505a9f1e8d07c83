// Changes of a fleet's configuration, one line for each decision, however many libraries it changes.
#pragma once

#include "ctl/plan/configuration_diff.hpp"

#include <vector>

namespace shelfd::ctl {

// The same change of one key in several libraries, or in tables of one name, or a table that several libraries get or
// lose, becomes one change with the libraries in `what`, the costs of all that are known, and how many are not. The
// others stay as they are, in their order. Pure.
std::vector<ConfigurationChange> fold_changes(const std::vector<ConfigurationChange>& changes);

}  // namespace shelfd::ctl

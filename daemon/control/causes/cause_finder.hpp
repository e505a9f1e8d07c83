// Finds the causes of trouble in the daemon's status: what forty libraries have in common is one cause.
#pragma once

#include "control/model/cause.hpp"
#include "control/model/status.hpp"

#include <vector>

namespace shelfd::control {

// Pure; ordered by key. A table that waits for its token set is affected by the cause of the set.
std::vector<Cause> find_causes(const Status& status);

}  // namespace shelfd::control

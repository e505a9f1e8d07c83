// From the daemon's status to the causes of its trouble: what forty libraries suffer from together is one.
#pragma once

#include "control/hooks/cause.hpp"
#include "control/model/status.hpp"

#include <vector>

namespace shelfd::control {

// Pure; ordered by key. A table whose trouble is that of its token set counts as touched by the set's cause.
std::vector<Cause> find_causes(const Status& status);

}  // namespace shelfd::control

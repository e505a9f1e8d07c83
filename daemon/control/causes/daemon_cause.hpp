// What is wrong with the daemon itself: libraries that do not run, and notices with advice.
#pragma once

#include "control/causes/cause_set.hpp"
#include "control/model/status.hpp"

#include <vector>

namespace shelfd::control {

std::vector<Finding> find_daemon_causes(const Status& status);

}  // namespace shelfd::control

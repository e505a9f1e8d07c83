// Reads the users and groups of the machine from its name service.
#pragma once

#include "ctl/survey/facts.hpp"

#include <string>
#include <vector>

namespace shelfd::ctl {

// All that the name service lists, and `wanted` groups with their members even if it lists none. Not thread-safe.
People read_people(const std::vector<std::string>& wanted);

}  // namespace shelfd::ctl

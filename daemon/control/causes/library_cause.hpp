// What is wrong with a library as a whole, apart from its token set and its tables.
#pragma once

#include "control/causes/cause_set.hpp"
#include "control/model/status.hpp"

#include <vector>

namespace shelfd::control {

std::vector<Finding> find_library_causes(const LibraryStatus& library, Instant now);

}  // namespace shelfd::control

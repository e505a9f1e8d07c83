// Named consumers of the change feed that have not acknowledged anything for long.
#pragma once

#include "control/causes/cause_set.hpp"
#include "control/model/status.hpp"

#include <vector>

namespace shelfd::control {

// One for each consumer whose oldest change has used up a quarter of the time for which it is kept.
std::vector<Finding> find_lagging(const LibraryStatus& library, Instant now);

}  // namespace shelfd::control

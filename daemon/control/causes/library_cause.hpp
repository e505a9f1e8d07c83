// What is wrong with a library as a whole, apart from its token set.
#pragma once

#include "control/causes/cause_set.hpp"
#include "control/model/status.hpp"

#include <vector>

namespace shelfd::control {

// A pause that the service asks for, schedules that need more than the limit, snapshots that fail, an unknown library,
// a working set that is not the expected one, a WAL, repairs.
std::vector<Finding> find_of_library(const LibraryStatus& library, Instant now);

// Whether the schedules need more requests than the limit allows, because the service has lowered it, or tables have
// grown, or so it is configured: those that come last are not read in time.
bool is_starved(const BudgetStatus& budget);
Finding find_starved(const LibraryStatus& library);

// Whether the pass under way waits for the end of a pause that is long enough to be a cause.
bool waits_for_pause(const LibraryStatus& library, const ResourceStatus& table, Instant now);

}  // namespace shelfd::control

// What each change of a configuration costs in requests.
#pragma once

#include "ctl/plan/budget_plan.hpp"
#include "ctl/plan/configuration_diff.hpp"

#include <vector>

namespace shelfd::ctl {

// Sets the cost of each change of a library or of its tables, on average of a day, canaries included: what it costs
// once those before it are made, so that all together are the difference between the two configurations. Paused
// libraries cost nothing. Lists that were never read are named, and left out of the number. Pure.
void add_costs(std::vector<ConfigurationChange>& changes, const std::vector<PlannedLibrary>& before,
               const std::vector<PlannedLibrary>& after, Instant now);

}  // namespace shelfd::ctl

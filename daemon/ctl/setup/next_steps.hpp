// The commands that init names: what a person types next.
#pragma once

#include "ctl/context/context.hpp"
#include "ctl/setup/init_plan.hpp"
#include "ctl/setup/starter.hpp"

#include <string>
#include <vector>

namespace shelfd::ctl {

// shelfctl for that installation, as a person types it.
std::string typed_ctl(const Context& context, const InstallationPlaces& places);

// `is_started`: the daemon runs already. `has_set`: the token set of the library is there.
std::vector<std::string> next_steps(const std::string& ctl, const InitPlan& plan, const Starter& starter,
                                    bool is_started, bool has_set);

}  // namespace shelfd::ctl

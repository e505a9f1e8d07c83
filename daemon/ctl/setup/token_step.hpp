// How init comes by the token set of the first library: one that is there, one that is pasted, or a login.
#pragma once

#include "ctl/context/context.hpp"
#include "ctl/setup/init_plan.hpp"
#include "ctl/start/exploration.hpp"
#include "ctl/start/step_context.hpp"

#include <optional>

namespace shelfd::ctl {

struct SetTaken {
    std::optional<bool> sealed;  // whether a set that was pasted works nowhere else; empty = none was
    // False: there was no token store, and nothing that may have given a set was handed to the daemon.
    bool may_be_here = false;
};

// A daemon with the token store of the installation must run. A set that is there and works is used: an init that was
// killed may have left it, and what was pasted then works no longer. A set that does not work is asked for again, if a
// person can be asked. If the service has no page that names the library of a token, the set is tested with the pages
// at which services describe themselves; if it has none of them either, asks for a list. Completes the scopes and paths
// of the plan. A login that fails is begun again, five times at most. Errors are printed. Blocks.
ExitCode get_token_set(const Context& context, StepContext& steps, Exploration& exploration, InitPlan& plan,
                       SetTaken& taken);

}  // namespace shelfd::ctl

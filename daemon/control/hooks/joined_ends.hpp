// The end of an incident for a hook that sees only some of its libraries, and several ends in one call.
#pragma once

#include "control/hooks/hook_rule.hpp"
#include "control/hooks/incident.hpp"

#include <optional>
#include <string>
#include <vector>

namespace shelfd::control {

// The end for a hook that names libraries, once none of these was affected for `quiet`, although others are.
std::optional<Announcement> end_for(const Incident& incident, const HookRule& rule, const Told& told, Instant now,
                                    Duration quiet);

// Of bodies of calls `recovered` for one hook, at least one: all members of the first, and every incident in `over`. Of
// several, the worst severity, the libraries of all, no `why`, and a line for a chat that names them.
std::string join_ends(const std::vector<std::string>& bodies);

}  // namespace shelfd::control

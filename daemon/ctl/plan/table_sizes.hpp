// Reads from a mirror the sizes of its tables: rows, and the measured cost of passes.
#pragma once

#include "base/result.hpp"
#include "ctl/context/context.hpp"
#include "ctl/plan/budget_plan.hpp"

#include <map>
#include <string>

namespace shelfd::ctl {

// By resource; the median of the last ten published passes of each kind. Opens the file read-only.
Result<std::map<std::string, TableSize>> read_sizes(const std::string& mirror);

// The same for a library of this configuration. Empty if there is no mirror yet; empty, with a message to the user, if
// it cannot be read.
std::map<std::string, TableSize> known_sizes(const Context& context, const config::Configuration& configuration,
                                             const std::string& library);

}  // namespace shelfd::ctl

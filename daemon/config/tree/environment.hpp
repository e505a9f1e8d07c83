// Expands `${NAME}` and `$$` in configuration strings.
#pragma once

#include "config/tree/fault.hpp"
#include "config/tree/node.hpp"

#include <map>
#include <string>

namespace shelfd::config {

using Environment = std::map<std::string, std::string>;

// Replaces `${NAME}` by its value and `$$` by `$` in every string below `root`, but not in keys. A name that is not
// set, and any other `$`, is a fault of the whole string.
void expand_environment(Node& root, const Environment& environment, FaultList& faults);

// The inverse, for text that will be loaded again: doubles each `$`.
std::string escape_dollars(const std::string& text);

}  // namespace shelfd::config

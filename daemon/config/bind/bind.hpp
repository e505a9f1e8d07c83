// From checked tables to the model: layers merged, references followed, what is missing named.
#pragma once

#include "config/model/model.hpp"
#include "config/tree/fault.hpp"
#include "config/tree/node.hpp"

namespace shelfd::config {

enum class KeepOrigins { no, yes };

// `root` has passed check_tree; all its files were read whole, or what is missing here may stand in the others. The
// result is meaningful only if no fault was added, by this or before.
Configuration bind(const Node& root, KeepOrigins keep, FaultList& faults);

}  // namespace shelfd::config

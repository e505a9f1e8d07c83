// Turns checked tables into the model: merges layers, resolves references, reports missing keys.
#pragma once

#include "config/model/model.hpp"
#include "config/tree/fault.hpp"
#include "config/tree/node.hpp"

namespace shelfd::config {

enum class KeepOrigins { no, yes };

// `root` has passed check_tree, and all its files were read completely; otherwise a key reported as missing may be in
// an unread file. The result is valid only if no fault was added, here or before.
Configuration bind(const Node& root, KeepOrigins keep, FaultList& faults);

}  // namespace shelfd::config

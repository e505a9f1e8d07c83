// Checks a configuration as far as possible without comparing tables: known keys, types, ranges, names.
#pragma once

#include "config/check/value_check.hpp"
#include "config/tree/node.hpp"

namespace shelfd::config {

// Adds a fault for each key that is unknown, not supported yet or invalid by itself, and marks it, so that later steps
// ignore it.
void check_tree(Node& root, const CheckContext& context);

}  // namespace shelfd::config

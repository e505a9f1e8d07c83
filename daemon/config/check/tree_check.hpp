// Everything that can be said about a configuration without looking from one table into another: known keys, kinds,
// ranges, names.
#pragma once

#include "config/check/value_check.hpp"
#include "config/tree/node.hpp"

namespace shelfd::config {

// Adds a fault for each key that is unknown, not supported yet or wrong in itself, and marks it, so that later steps
// leave it alone.
void check_tree(Node& root, const CheckContext& context);

}  // namespace shelfd::config

// Names of resources: which ones are written somewhere, and which of them collide as names of tables.
#pragma once

#include "config/model/model.hpp"
#include "config/tree/fault.hpp"
#include "config/tree/node.hpp"

#include <string>

namespace shelfd::config {

// Of all resources that are written, whether a library takes them or not.
ResourceNames read_resource_names(const Node& root);
// One may not be called like a table that is kept beside another one's.
void check_resource_names(const Node& root, FaultList& faults);

// A resource beside these may have that name.
bool is_free(const ResourceNames& names, const std::string& name);

}  // namespace shelfd::config

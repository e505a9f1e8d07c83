// Names of resources: which are configured, and which of them collide as table names.
#pragma once

#include "config/model/model.hpp"
#include "config/tree/fault.hpp"
#include "config/tree/node.hpp"

#include <string>

namespace shelfd::config {

// All configured resources, whether a library uses them or not.
ResourceNames read_resource_names(const Node& root);
// Refuses a name that another resource needs for one of its additional tables.
void check_resource_names(const Node& root, FaultList& faults);

// True if a new resource may have this name.
bool is_free(const ResourceNames& names, const std::string& name);

// A name for the list at `path` that none of `taken` has or needs, and takes it: the last word of the path, with a
// number if it must, as "lines_2".
std::string free_resource_name(const std::string& path, ResourceNames& taken);

}  // namespace shelfd::config

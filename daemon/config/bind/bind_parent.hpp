// Lists by parent: reads `parent` and checks it against the other resources of the library.
#pragma once

#include "config/bind/reader.hpp"
#include "config/model/model.hpp"
#include "config/tree/fault.hpp"

#include <vector>

namespace shelfd::config {

// Fills `parent` of `resource`, whose key and exclude are known. Returns false if it has a fault.
bool bind_parent(const Reader& reader, Resource& resource, FaultList& faults);

// Adds faults for parents that do not exist and for cycles of parents.
void check_parents(const Library& library, const std::vector<Resource>& resources, FaultList& faults);

}  // namespace shelfd::config

// Lists by parent: what `parent` says, and whether it fits the other resources of the library.
#pragma once

#include "config/bind/reader.hpp"
#include "config/model/model.hpp"
#include "config/tree/fault.hpp"

#include <vector>

namespace shelfd::config {

// Fills `parent` of `resource`, whose key and exclude are known. False when there is something wrong with it.
bool bind_parent(const Reader& reader, Resource& resource, FaultList& faults);

// Parents that are not there, and lists that wait for each other for ever.
void check_parents(const Library& library, const std::vector<Resource>& resources, FaultList& faults);

}  // namespace shelfd::config

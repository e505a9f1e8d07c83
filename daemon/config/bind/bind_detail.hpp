// `detail` of a resource: where each item is asked for by itself.
#pragma once

#include "config/bind/reader.hpp"
#include "config/model/model.hpp"
#include "config/tree/fault.hpp"

namespace shelfd::config {

// After the resource's key and `answers`. Without `detail` nothing changes.
void bind_detail(const Reader& reader, const Library& library, Resource& resource, FaultList& faults);

}  // namespace shelfd::config

// `detail` of a resource: where each item is asked for by itself.
#pragma once

#include "config/fault.hpp"
#include "config/model.hpp"
#include "config/reader.hpp"

namespace shelfd::config {

// After the resource's key and `answers`. Without `detail` nothing changes.
void bind_detail(const Reader& reader, const Library& library, Resource& resource, FaultList& faults);

}  // namespace shelfd::config

// `detail` of a resource: the address from which each item is fetched by itself.
#pragma once

#include "config/bind/reader.hpp"
#include "config/model/model.hpp"
#include "config/tree/fault.hpp"

namespace shelfd::config {

// Call after the resource's key and `answers` are known. Does nothing without `detail`.
void bind_detail(const Reader& reader, const Library& library, Resource& resource, FaultList& faults);

}  // namespace shelfd::config

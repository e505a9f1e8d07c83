// What is asked for first: the query of page 1.
#pragma once

#include "config/model.hpp"

#include <string>

namespace shelfd::sync {

// The library's and the resource's fixed parameters, the size and the order; without '?'.
std::string first_query(const config::Library& library, const config::Resource& resource);

}  // namespace shelfd::sync

// The part of the control interface that changes token sets.
#pragma once

#include "app/library/library_set.hpp"
#include "control/model/operations.hpp"

namespace shelfd::app {

// `libraries` outlives the operations.
void add_auth_operations(control::Operations& operations, LibrarySet& libraries);

}  // namespace shelfd::app

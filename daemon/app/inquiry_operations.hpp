// The part of the control interface that asks the service something for a person.
#pragma once

#include "app/library_set.hpp"
#include "control/operations.hpp"

namespace shelfd::app {

// `libraries` outlives the operations.
void add_inquiry_operations(control::Operations& operations, LibrarySet& libraries);

}  // namespace shelfd::app

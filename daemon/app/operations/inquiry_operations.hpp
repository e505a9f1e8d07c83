// The part of the control interface that asks the service something for a person.
#pragma once

#include "app/library/library_set.hpp"
#include "config/model/model.hpp"
#include "control/model/operations.hpp"

#include <functional>

namespace shelfd::app {

// Those of the whole configuration, whatever a library takes of it.
using NameSource = std::function<config::ResourceNames()>;

// `libraries` outlives the operations.
void add_inquiry_operations(control::Operations& operations, LibrarySet& libraries, NameSource names);

}  // namespace shelfd::app

// Names in a request against the names there are.
#pragma once

#include "base/result.hpp"
#include "control/status.hpp"

#include <string>

namespace shelfd::control {

// "" for the resource: the library alone. Errors: not_found, naming what there is instead.
Result<void> check_names(const Status& status, const std::string& library, const std::string& resource);

}  // namespace shelfd::control

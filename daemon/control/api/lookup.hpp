// Names in a request against the names there are.
#pragma once

#include "base/result.hpp"
#include "control/model/status.hpp"

#include <string>

namespace shelfd::control {

// "" for the resource: the library alone. Errors: not_found, naming what there is instead; needs_person for a library
// that is configured and does not run.
Result<void> check_names(const Status& status, const std::string& library, const std::string& resource);

}  // namespace shelfd::control

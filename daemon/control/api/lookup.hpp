// Checks names in a request against the existing ones.
#pragma once

#include "base/result.hpp"
#include "control/model/status.hpp"

#include <string>

namespace shelfd::control {

// With resource "" only the library is checked. Errors: not_found, with the names that exist; needs_person for a
// library that is configured but does not run.
Result<void> check_names(const Status& status, const std::string& library, const std::string& resource);

}  // namespace shelfd::control

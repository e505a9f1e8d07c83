// Names in a request against the names there are.
#pragma once

#include "base/result.hpp"
#include "control/model/status.hpp"

#include <string>
#include <string_view>

namespace shelfd::control {

// "" for the resource: the library alone. Errors: not_found, naming what there is instead.
Result<void> check_names(const Status& status, const std::string& library, const std::string& resource);

// Of a request whose body is {"library": …} and nothing else. Errors: usage; not_found as above.
Result<std::string> read_library(std::string_view body, const Status& status);

}  // namespace shelfd::control

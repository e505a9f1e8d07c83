// The metrics of libraries and of their tables.
#pragma once

#include "control/metrics/scope.hpp"
#include "control/model/status.hpp"

#include <string>

namespace shelfd::control {

void add_library_metrics(std::string& out, const Status& status, const MetricsScope& scope);

}  // namespace shelfd::control

// The metrics of tables: by name, and over all libraries.
#pragma once

#include "control/metrics/scope.hpp"
#include "control/model/status.hpp"

#include <string>

namespace shelfd::control {

void add_resource_metrics(std::string& out, const Status& status, const MetricsScope& scope);

}  // namespace shelfd::control

// The status as Prometheus text, for scrapers.
#pragma once

#include "control/metrics/scope.hpp"
#include "control/model/alerts.hpp"
#include "control/model/status.hpp"

#include <string>

namespace shelfd::control {

// Text exposition format 0.0.4. Base units (seconds, bytes), `_total` for counters, `_timestamp_seconds` for times. A
// state is the label of one series. No address and no token is in it.
std::string to_metrics(const Status& status, const AlertReport& alerts, const MetricsScope& scope);

}  // namespace shelfd::control

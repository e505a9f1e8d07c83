// The status as Prometheus text, for scrapers of the control socket.
#pragma once

#include "control/model/status.hpp"

#include <string>

namespace shelfd::control {

// Text exposition format 0.0.4. Base units (seconds, bytes), `_total` for counters, `_timestamp_seconds` for times, 0
// or 1 for each state of a table. Labels: library, resource, state, outcome, reason, version, le; no address, no token.
std::string to_metrics(const Status& status);

}  // namespace shelfd::control

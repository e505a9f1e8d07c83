// What the control socket may ask about alerts.
#pragma once

#include "app/alerts/alerts.hpp"
#include "control/model/operations.hpp"

namespace shelfd::app {

// `alerts` outlives the operations.
void add_alert_operations(control::Operations& operations, Alerts& alerts);

}  // namespace shelfd::app

// What is wrong, as JSON: for the status, and for the list of alerts.
#pragma once

#include "control/model/alerts.hpp"
#include "control/model/cause.hpp"

#include <vector>

namespace boost::json {
class array;
}  // namespace boost::json

namespace shelfd::control {

boost::json::array problems_json(const std::vector<Cause>& problems);
boost::json::array incidents_json(const std::vector<IncidentStatus>& incidents);

}  // namespace shelfd::control

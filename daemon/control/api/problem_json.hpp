// What is wrong, as JSON for the status.
#pragma once

#include "control/model/cause.hpp"

#include <vector>

namespace boost::json {
class array;
}  // namespace boost::json

namespace shelfd::control {

boost::json::array problems_json(const std::vector<Cause>& problems);

}  // namespace shelfd::control

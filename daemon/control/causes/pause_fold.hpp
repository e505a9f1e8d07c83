// Limit groups that one service has paused, as one alert.
#pragma once

#include "control/model/cause.hpp"

#include <string>
#include <vector>

namespace shelfd::control {

// The causes of kind `limit` of one service become one, first the library that waits longest. Others are unchanged.
std::vector<Cause> fold_pauses(std::vector<Cause> causes);

// The key of the alert that such a cause becomes a part of; for others their own.
std::string alert_key(const Cause& cause);

}  // namespace shelfd::control

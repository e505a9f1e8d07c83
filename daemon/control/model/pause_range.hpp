// The sentence about libraries that a service has paused, each until its own time.
#pragma once

#include "control/model/cause.hpp"

#include <string>
#include <vector>

namespace shelfd::control {

// That of the library that waits longest, "… until 2024-01-06T07:10:00Z at the latest" if another one waits less long;
// that of the first where all wait equally long.
std::string describe_pauses(const std::vector<const Affected*>& affected);
std::string describe_pauses(const std::vector<Affected>& affected);

}  // namespace shelfd::control

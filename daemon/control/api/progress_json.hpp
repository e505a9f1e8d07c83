// Lines of a progress stream: one JSON object each, with the same members as the status.
#pragma once

#include "control/model/operations.hpp"

#include <string>

namespace shelfd::control {

// {"event": "progress", "library": …, "resource": …, "state": "queued" | "running" | "ended", …}
std::string to_json(const ProgressEvent& event);

}  // namespace shelfd::control

// The lines of a stream of progress: one JSON object each, with the members the status uses for the same things.
#pragma once

#include "control/model/operations.hpp"

#include <string>

namespace shelfd::control {

// {"event": "progress", "library": …, "resource": …, "state": "queued" | "running" | "ended", …}
std::string to_json(const ProgressEvent& event);

}  // namespace shelfd::control

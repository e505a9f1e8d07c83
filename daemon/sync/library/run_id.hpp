// The name of a run in `_runs`, in the log and in the change feed.
#pragma once

#include "base/instant.hpp"

#include <string>

namespace shelfd::sync {

// Sorts by time and is unique enough for grep: "20240106T060000-3f9a2c1b". `random` is in [0, 1).
std::string make_run_id(Instant now, double random);

}  // namespace shelfd::sync

// What is said of passes that wait for the end of the quiet hours.
#pragma once

#include "base/instant.hpp"

#include <string>

namespace shelfd::control {

// "waits for the end of the quiet hours at 2026-11-28 06:00Z; to sync now: shelfctl sync namur"
std::string describe_quiet(Instant until, const std::string& library);

}  // namespace shelfd::control

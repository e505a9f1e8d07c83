// What is said to a person who starts a pass during the quiet hours of a library.
#pragma once

#include "config/model/model.hpp"

#include <string>

namespace shelfd::ctl {

// "; it waits for the end of the quiet hours at 2026-11-28 06:00Z; to sync now: shelfctl sync namur", "" if none are
// now.
std::string quiet_addition(const config::Library& library, Instant now);

}  // namespace shelfd::ctl

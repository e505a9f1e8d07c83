// Quiet hours on a screen: what waits for their end.
#pragma once

#include "ctl/status/status_view.hpp"

#include <string>

namespace shelfd::ctl {

// When the next pass over the table begins: "in 3 h", "in 3 h (quiet hours)", "running", "-".
std::string next_text(const control::ResourceStatus& table, Instant now);

// A line for each time at which quiet hours end for which all lists of a library wait, with these libraries and how to
// make a pass now; then an empty line. "" if none waits.
std::string quiet_text(const StatusView& status);

}  // namespace shelfd::ctl

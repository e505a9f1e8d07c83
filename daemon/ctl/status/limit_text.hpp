// Request limits on a screen: what is in force, why, and what waits for it.
#pragma once

#include "ctl/status/status_view.hpp"

#include <string>

namespace shelfd::ctl {

// "60 requests a minute: the answers of the service name it; 100 are configured"
std::string limit_text(const control::BudgetStatus& budget);

// A line for each limit that passes wait for since half a minute or longer: since when, until when, and why it is as
// it is; then an empty line. "" if none waits.
std::string limits_text(const StatusView& status);

}  // namespace shelfd::ctl

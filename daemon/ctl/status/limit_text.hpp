// Request limits on a screen: what is in force, why, and what waits for it.
#pragma once

#include "ctl/status/status_view.hpp"

#include <string>
#include <vector>

namespace shelfd::ctl {

// "60 requests a minute: the answers of the service name this limit; 100 are configured"
std::string limit_text(const control::BudgetStatus& budget);

// A line for each reason why passes wait for a request limit since half a minute or longer, with all its libraries:
// since when, until when, and why it is as it is. None where a problem says it already.
std::vector<std::string> limit_lines(const StatusView& status);

// A line for each limit that libraries share because they are one user of the service.
std::vector<std::string> shared_limit_lines(const StatusView& status);

}  // namespace shelfd::ctl

// What people see of a request limit: what is in force, why, and what it was used for.
#pragma once

#include "app/library/library_unit.hpp"
#include "app/services/limiters.hpp"
#include "control/model/status.hpp"

#include <string>
#include <vector>

namespace shelfd::app {

control::BudgetStatus report_budget(const LibraryUnit& unit);
// Adds to each library those that share its limit.
void report_sharers(std::vector<control::LibraryStatus>& libraries);
std::vector<control::RequestCount> report_requests(const LibraryUnit& unit);

// One notice for each request log that cannot be written, and for each limit that other programs use much of. Pauses
// that the service requested are problems of the libraries.
std::vector<control::Notice> report_limiters(const Limiters& limiters);

// "60 requests a minute, which the service names; 100 are configured"; "" without a limit.
std::string describe_limit(const budget::LimiterStatus& limiter);

}  // namespace shelfd::app

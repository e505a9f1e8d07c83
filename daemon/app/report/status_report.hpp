// From the running parts to status values.
#pragma once

#include "app/library/library_unit.hpp"
#include "app/services/limiters.hpp"
#include "control/model/operations.hpp"
#include "control/model/status.hpp"

#include <vector>

namespace shelfd::app {

control::LibraryStatus report_library(const LibraryUnit& unit, Instant now);

// One for each request log that its disk does not take, and each longer silence that the service asked for.
std::vector<control::Notice> report_limiters(const Limiters& limiters, Instant now);

// Empty when no pass runs.
std::optional<control::Running> report_progress(const sync::Progress& progress, Instant now);
control::RunReport report_pass(const sync::PassReport& pass);

}  // namespace shelfd::app

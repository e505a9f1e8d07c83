// From the running parts to the values people are told.
#pragma once

#include "app/library/library_unit.hpp"
#include "control/model/operations.hpp"
#include "control/model/status.hpp"

#include <vector>

namespace shelfd::app {

control::LibraryStatus report_library(const LibraryUnit& unit, Instant now);

// One for each request log that its disk does not take, and each longer silence that the service asked for.
std::vector<control::Notice> report_limiters(const DaemonServices& parts, Instant now);

// nothing when no pass runs.
std::optional<control::Running> report_progress(const sync::Progress& progress, Instant now);
control::RunReport report_pass(const sync::PassReport& pass);

}  // namespace shelfd::app

// Makes status values from the running parts.
#pragma once

#include "app/library/library_unit.hpp"
#include "app/services/limiters.hpp"
#include "control/model/operations.hpp"
#include "control/model/status.hpp"

#include <vector>

namespace shelfd::app {

control::LibraryStatus report_library(const LibraryUnit& unit, Instant now);

// One notice for each request log that cannot be written, and for each long pause that the service requested.
std::vector<control::Notice> report_limiters(const Limiters& limiters, Instant now);

// Empty if no pass is under way.
std::optional<control::Running> report_progress(const sync::Progress& progress, Instant now);
control::RunReport report_pass(const sync::PassReport& pass);

}  // namespace shelfd::app

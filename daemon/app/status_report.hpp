// From the running parts to the values people are told.
#pragma once

#include "app/library_unit.hpp"
#include "control/operations.hpp"
#include "control/status.hpp"

namespace shelfd::app {

control::LibraryStatus report_library(const LibraryUnit& unit, Instant now);

// nothing when no pass runs.
std::optional<control::Running> report_progress(const sync::Progress& progress, Instant now);
control::RunReport report_pass(const sync::PassReport& pass);

}  // namespace shelfd::app

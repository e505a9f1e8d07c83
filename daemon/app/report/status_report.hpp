// Makes status values from the running parts.
#pragma once

#include "app/library/library_unit.hpp"
#include "control/model/operations.hpp"
#include "control/model/status.hpp"

namespace shelfd::app {

control::LibraryStatus report_library(const LibraryUnit& unit, Instant now);

control::RunReport report_pass(const sync::PassReport& pass);

}  // namespace shelfd::app

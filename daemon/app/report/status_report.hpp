// Makes status values from the running parts.
#pragma once

#include "app/library/library_unit.hpp"
#include "control/model/operations.hpp"
#include "control/model/status.hpp"

#include <functional>
#include <string>

namespace shelfd::app {

control::LibraryStatus report_library(const LibraryUnit& unit, Instant now);

// The same, but an exception of `report`, which is a bug, becomes the bug of that library: the others are reported.
// `journal` shows the log.
control::LibraryStatus report_or_bug(const std::string& library, Instant now, const std::string& journal,
                                     const std::function<control::LibraryStatus()>& report);

control::RunReport report_pass(const sync::PassReport& pass);

}  // namespace shelfd::app

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
control::LibraryStatus report_or_bug(const std::string& library, Instant now,
                                     const std::function<control::LibraryStatus()>& report);

// True if the last walk over a list of this library was published and could not prove it complete for a reason that its
// remark says: the service lists fewer rows than it counts, or leads nowhere.
bool has_unproven_list(const LibraryUnit& unit);

control::RunReport report_pass(const sync::PassReport& pass);

}  // namespace shelfd::app

// What people see of a pass under way: where it is, what it waits for, how long it will take.
#pragma once

#include "app/library/library_unit.hpp"
#include "budget/limiter.hpp"
#include "control/model/status.hpp"
#include "sync/library/progress.hpp"

#include <cstdint>
#include <optional>

namespace shelfd::app {

// The time left of the pass: that of its requests at the limit, and at least that of its pace at work so far. Empty if
// it is not known. `at_limit`: of time_at_limit().
std::optional<Duration> time_left(const sync::Progress& progress, Duration at_limit,
                                  const budget::LimiterStatus& limiter, Instant now);

// Whether requests of the pass under way wait for the limit, for so long that it is reported.
bool waits_for_limit(const sync::Progress& progress, Instant now);

// Empty if no pass is under way. `waiting_items`: details that wait in the queue besides those under way.
std::optional<control::Running> report_progress(const LibraryUnit& unit, const sync::Progress& progress,
                                                std::uint64_t waiting_items, Instant now);

}  // namespace shelfd::app

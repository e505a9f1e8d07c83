// What people see of a pass under way: where it is, what it waits for, how long it will take.
#pragma once

#include "app/library/library_unit.hpp"
#include "budget/limiter.hpp"
#include "control/model/status.hpp"
#include "sync/library/progress.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace shelfd::app {

// The requests that the pass still has to send, at least; 0 = not known.
std::uint64_t requests_left(const sync::Progress& progress);

// How long `own` requests take at a limit that other passes use too: `all` holds what each of them has left, this one
// included. Passes take turns, so another one delays this by no more requests than this one has. Zero without a limit.
Duration time_at_limit(std::uint64_t own, const std::vector<std::uint64_t>& all, const budget::LimiterStatus& limiter,
                       Instant now);

// The time left of the pass: where the limit decides, `at_limit` alone, otherwise at least that of its pace so far.
// Empty if it is not known. `at_limit`: of time_at_limit().
std::optional<Duration> time_left(const sync::Progress& progress, Duration at_limit,
                                  const budget::LimiterStatus& limiter, Instant now);

// Empty if no pass is under way. `waiting_items`: details that wait in the queue besides those under way.
std::optional<control::Running> report_progress(const LibraryUnit& unit, const sync::Progress& progress,
                                                std::uint64_t waiting_items, Instant now);

}  // namespace shelfd::app

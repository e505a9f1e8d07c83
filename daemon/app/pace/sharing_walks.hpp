// The walks of all libraries that use the same limit, and how long a pass takes beside them.
#pragma once

#include "app/library/library_unit.hpp"
#include "app/pace/limit_share.hpp"
#include "sync/library/progress.hpp"

#include <cstdint>

namespace shelfd::app {

// The requests that the pass still has to send, at least; 0 = not known.
std::uint64_t requests_left(const sync::Progress& progress);
// In which class they wait.
budget::Purpose purpose_of(const sync::Progress& progress);

// time_at_limit() of `own`, whose progress is `progress`, beside the walks that are under way, queued, or begin before
// its end, as far as schedules tell.
Duration time_beside_others(const MeasuredWalk& own, const LibraryUnit& unit, const sync::Progress& progress,
                            Instant now);

}  // namespace shelfd::app

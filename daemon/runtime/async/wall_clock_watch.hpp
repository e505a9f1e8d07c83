// Tells when somebody set the wall clock.
#pragma once

#include "runtime/async/clock.hpp"

#include <functional>

namespace shelfd {

// Until cancelled: calls `was_set` within a minute after the wall clock was set, in either direction, by a second or
// more; slow corrections (adjtime(3)) stay below that. Loop only; `clock` must outlive it.
asio::awaitable<void> watch_wall_clock(Clock& clock, std::function<void()> was_set);

}  // namespace shelfd

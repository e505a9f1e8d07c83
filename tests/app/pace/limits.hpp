// Limits that tests of the pace of passes use.
#pragma once

#include "budget/limiter.hpp"

#include <cstdint>

namespace shelfd::app {

inline const Instant noon = Instant::from_rfc3339("2024-01-06T12:00:00Z").value();

inline budget::LimiterStatus limit_of(std::uint32_t most, std::uint32_t used = 0)
{
    budget::LimiterStatus limiter;
    limiter.limit = limiter.configured = most;
    limiter.used = used;
    return limiter;
}

}  // namespace shelfd::app

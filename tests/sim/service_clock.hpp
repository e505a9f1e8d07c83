// The service's own clock: the machine's wall clock, and how far a test has moved it.
#pragma once

#include "base/instant.hpp"

#include <chrono>

namespace shelfd::sim {

// Only ever read under the world's lock. Delays of faults pass in real time; expiry, codes and throttling by this
// clock.
class ServiceClock {
public:
    Instant now() const
    {
        const auto since = std::chrono::system_clock::now().time_since_epoch();
        return Instant::from_micros(std::chrono::duration_cast<Duration>(since).count()) + offset_;
    }
    void advance(Duration by) { offset_ += by; }

private:
    Duration offset_{0};
};

}  // namespace shelfd::sim

// The service's own clock: the machine's wall clock, and how far a test has moved it.
#pragma once

#include "base/instant.hpp"

#include <chrono>
#include <optional>

namespace shelfd::sim {

// Only ever read under the world's lock. Delays of faults pass in real time; expiry, codes and throttling by this
// clock.
class ServiceClock {
public:
    Instant now() const { return frozen_.value_or(of_machine()) + offset_; }
    void advance(Duration by) { offset_ += by; }
    // From here on only `advance` moves it.
    void freeze() { frozen_ = frozen_.value_or(of_machine()); }

private:
    static Instant of_machine()
    {
        const auto since = std::chrono::system_clock::now().time_since_epoch();
        return Instant::from_micros(std::chrono::duration_cast<Duration>(since).count());
    }

    std::optional<Instant> frozen_;
    Duration offset_{0};
};

}  // namespace shelfd::sim

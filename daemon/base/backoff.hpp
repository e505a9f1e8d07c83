// Exponential backoff: the wait after the n-th failure in a row, capped, with jitter.
#pragma once

#include "base/instant.hpp"

#include <cstdint>

namespace shelfd {

// Returns `first` · 2^`times`, at most `cap`. `first` > 0.
Duration doubled(Duration first, std::uint32_t times, Duration cap);

// A pure value: the same failures and the same random numbers give the same waits.
// `next(r)` with r in [0, 1) returns a wait in [delay/2, delay], where delay = first · 2^n, at most `cap`.
class Backoff {
public:
    Backoff(Duration first, Duration cap) : first_(first), cap_(cap) {}

    Duration next(double random);
    void reset() { failures_ = 0; }
    std::uint32_t failures() const { return failures_; }

private:
    Duration first_;
    Duration cap_;
    std::uint32_t failures_ = 0;
};

}  // namespace shelfd

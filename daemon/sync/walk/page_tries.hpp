// Counts the tries of one request of a walk, and computes the wait before the next.
#pragma once

#include "base/backoff.hpp"

#include <cstdint>
#include <optional>

namespace shelfd::sync {

// Pure; `random` in [0, 1) spreads the waits.
class PageTries {
public:
    // Call when the answer has arrived.
    void succeeded();
    // Call before another kind of request is tried.
    void other_request() { attempts_ = throttled_ = 0; }

    // Tries in a row that failed.
    std::uint32_t attempts() const { return attempts_; }
    // Returns the wait before the next try; empty after `max` tries.
    std::optional<Duration> failed(std::uint32_t max, double random);
    // False after `max` such answers in a row.
    bool may_repeat_throttled(std::uint32_t max) { return ++throttled_ < max; }
    // The request is sent again with a renewed token; a second 401 is final.
    void token_renewed() { renewed_ = true; }
    bool was_renewed() const { return renewed_; }

private:
    Backoff backoff_{std::chrono::seconds(1), std::chrono::minutes(1)};
    std::uint32_t attempts_ = 0;
    std::uint32_t throttled_ = 0;
    bool renewed_ = false;
};

}  // namespace shelfd::sync

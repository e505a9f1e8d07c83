// How often one request of a walk was tried, and how long to wait before the next try.
#pragma once

#include "base/backoff.hpp"

#include <cstdint>
#include <optional>

namespace shelfd::sync {

// Pure; `random` in [0, 1) spreads the waits.
class PageTries {
public:
    // The answer came.
    void succeeded();
    // Another kind of request is tried next.
    void other_request() { attempts_ = throttled_ = 0; }

    // How long to wait before another try; nothing: there were `max` tries.
    std::optional<Duration> failed(std::uint32_t max, double random);
    // False: there were `max` of these in a row.
    bool may_repeat_throttled(std::uint32_t max) { return ++throttled_ < max; }
    // It is sent again with a renewed token; a second refusal is final.
    void token_renewed() { renewed_ = true; }
    bool was_renewed() const { return renewed_; }

private:
    Backoff backoff_{std::chrono::seconds(1), std::chrono::minutes(1)};
    std::uint32_t attempts_ = 0;
    std::uint32_t throttled_ = 0;
    bool renewed_ = false;
};

}  // namespace shelfd::sync

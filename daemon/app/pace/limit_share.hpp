// How long requests take at a limit that other walks use too; pure.
#pragma once

#include "base/instant.hpp"
#include "budget/limiter.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace shelfd::app {

// A walk that uses the same limit.
struct SharingWalk {
    enum class Stage {
        running,
        queued,  // begins when another one of its library ends
        due,     // begins at `begins`
    };
    Stage stage = Stage::running;
    const void* library = nullptr;  // only compared
    budget::Purpose purpose = budget::Purpose::full;
    std::optional<std::uint64_t> requests = {};  // still to send; empty = unknown: as many as the measured walk
    Instant begins = {};
    Duration every{0};          // from one begin to the next; zero = it does not begin again
    std::uint32_t at_once = 1;  // requests that it sends at the same time
};

// The walk whose end is in question.
struct MeasuredWalk {
    std::uint64_t requests = 0;
    const void* library = nullptr;
    budget::Purpose purpose = budget::Purpose::full;
    // It sends a request only after the answer to the previous one. If several slots become free at once, it takes one;
    // details that are under way wait in line and take the others.
    bool is_one_by_one = false;
};

// The time until the last request of `own` begins. Walks of the same purpose take turns, more urgent ones go first, as
// in the limiter. Zero without a limit. While everything goes as predicted, the predicted end does not move later: an
// unknown number of requests counts as large, and slots become free one by one.
Duration time_at_limit(const MeasuredWalk& own, const std::vector<SharingWalk>& others,
                       const budget::LimiterStatus& limiter, Instant now);

}  // namespace shelfd::app

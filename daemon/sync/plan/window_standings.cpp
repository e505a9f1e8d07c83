#include "sync/plan/window_standings.hpp"

#include <algorithm>

namespace shelfd::sync {
namespace {

std::int64_t place(Instant at)
{
    return at.seconds();
}

}  // namespace

WindowStandings::WindowStandings(const std::vector<mirror::SliceFacts>& known) : known_(known)
{
    std::int64_t furthest = INT64_MIN;
    for (const auto& slice : known) {
        furthest = std::max(furthest, slice.past);
        furthest_.push_back(furthest);
    }
}

WindowStanding WindowStandings::of(const schedule::Window& window) const
{
    // The slices that begin before the window ends.
    const auto end = static_cast<std::size_t>(
        std::partition_point(known_.begin(), known_.end(),
                             [&](const auto& slice) { return slice.first < place(window.to); }) -
        known_.begin());
    if (end == 0 || furthest_[end - 1] <= place(window.from)) {
        return {};
    }
    const auto& last = known_[end - 1];
    const bool alone = end < 2 || furthest_[end - 2] <= place(window.from);
    if (alone && last.first == place(window.from) && last.past == place(window.to)) {
        return {last.as_of, last.proven_as_of, last.key_set, last.asked_at, !last.why.empty(), last.sought};
    }
    return of_parts(end, window);
}

// For each part of the window the newest walk counts; for the whole, the part with the oldest one.
WindowStanding WindowStandings::of_parts(std::size_t end, const schedule::Window& window) const
{
    std::vector<const mirror::SliceFacts*> parts;
    std::vector<std::int64_t> bounds = {place(window.from), place(window.to)};
    WindowStanding standing;
    bool any_waits = false;
    bool any_sought = false;
    for (std::size_t at = 0; at < end; ++at) {
        const auto& slice = known_[at];
        if (slice.past <= place(window.from)) {
            continue;
        }
        parts.push_back(&slice);
        any_waits = any_waits || !slice.why.empty();
        any_sought = any_sought || slice.sought;
        bounds.push_back(std::clamp(slice.first, place(window.from), place(window.to)));
        bounds.push_back(std::clamp(slice.past, place(window.from), place(window.to)));
        if (slice.first == place(window.from) && slice.past == place(window.to)) {
            standing.walked = slice.as_of;
            standing.key_set = slice.key_set;
            standing.asked = slice.asked_at;
            standing.waits = !slice.why.empty();
            standing.sought = slice.sought;
        }
    }
    // If the window itself was walked, that walk was also the second evidence for slices that are wider.
    standing.waits = standing.walked ? standing.waits : any_waits;
    standing.sought = standing.walked ? standing.sought : any_sought;
    std::sort(bounds.begin(), bounds.end());
    bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
    for (std::size_t at = 0; at + 1 < bounds.size(); ++at) {
        std::optional<Instant> newest;
        for (const auto* slice : parts) {
            if (slice->first <= bounds[at] && slice->past >= bounds[at + 1] && slice->proven_as_of) {
                newest = std::max(newest.value_or(*slice->proven_as_of), *slice->proven_as_of);
            }
        }
        if (!newest) {
            standing.proven.reset();
            return standing;
        }
        standing.proven = std::min(standing.proven.value_or(*newest), *newest);
    }
    return standing;
}

}  // namespace shelfd::sync

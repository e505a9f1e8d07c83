// When a resource is due: every interval, spread at first, then in step.
#pragma once

#include "base/instant.hpp"

#include <optional>

namespace shelfd::schedule {

// A pure value. `random` is in [0, 1). It answers on the wall clock, which may jump: ask again when a wait is over, and
// at least once in each interval.
//
// The first pass comes after a random delay of at most splay · interval, so that libraries with the same interval do
// not move in step; from then on the distance is exactly the interval. Overlap cannot be: whoever asks for the next one
// has finished, and a pass that took longer than the interval is followed by one pass at once, not by all it missed.
class Schedule {
public:
    // `interval` > 0; `splay` from 0 to 0.5, as a share of it.
    Schedule(Duration interval, double splay);

    // When the daemon starts, or the resource is new: `last_started` is nothing if it never ran. A time that was missed
    // meanwhile is caught up once, within min(splay · interval, 60 s). Never before `now`, and never more than an
    // interval (and the spread) after it, even if the last start seems to lie in the future.
    Instant first_due(Instant now, std::optional<Instant> last_started, double random) const;

    // After a pass that was due, or began, at `last_started`. May lie in the past: then it is due at once.
    Instant next_due(Instant last_started, double random) const;

    Duration interval() const { return interval_; }

private:
    Duration spread(double random, Duration most) const;

    Duration interval_;
    double splay_;
};

// The age at which a table counts as late when the configuration does not say: three intervals, at least 30 min.
Duration default_late_after(Duration interval);

}  // namespace shelfd::schedule

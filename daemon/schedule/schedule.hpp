// When a resource is due: every interval, spread at first, then in step.
#pragma once

#include "base/instant.hpp"

#include <optional>

namespace shelfd::schedule {

// A pure value. `random` is in [0, 1). It answers on the wall clock, which may jump: ask again when a wait is over, and
// at least once in each interval.
//
// A table that was never filled is due at once: somebody waits for it. The pass after a process' first one comes
// earlier by a random share of the splay, so that libraries with the same interval do not move in step; from then on
// the distance is exactly the interval. Overlap cannot be: whoever asks for the next one has finished, and a pass that
// took longer than the interval is followed by one pass at once, not by all it missed.
class Schedule {
public:
    // `interval` > 0; `splay` from 0 to 0.5, as a share of it.
    Schedule(Duration interval, double splay);

    // When the daemon starts, or the resource is new: `last_started` is nothing if it never ran. A time that was missed
    // meanwhile is caught up once, within min(splay · interval, 60 s). Never before `now`, and never more than an
    // interval (and the spread) after it, even if the last start seems to lie in the future.
    Instant first_due(Instant now, std::optional<Instant> last_started, double random) const;

    // After the first pass of this process, which began at `started`.
    Instant second_due(Instant started, double random) const;

    // After a pass that was planned for `planned` and began at `started`: in step with the plan, so that the rate is
    // exact, or an interval after the start where the plan was not kept (asked for early, or late by an interval).
    Instant next_due(Instant planned, Instant started) const;

    Duration interval() const { return interval_; }

private:
    Duration spread(double random, Duration most) const;

    Duration interval_;
    double splay_;
};

// The age at which a table counts as late when the configuration does not say: three intervals, at least 30 min.
Duration default_late_after(Duration interval);

}  // namespace shelfd::schedule

// When a resource is due: every interval, spread at first, then in step; or at planned local times.
#pragma once

#include "base/instant.hpp"
#include "schedule/planned_times.hpp"

#include <optional>
#include <variant>

namespace shelfd::schedule {

// A pure value. `random` is in [0, 1). It answers on the wall clock, which may jump: ask `revised` while you wait.
//
// A table that was never filled is due at once: somebody waits for it. What was missed is caught up once. Overlap
// cannot be: whoever asks for the next pass has finished, and one that took longer than the distance of two is followed
// by one pass at once, not by all it missed.
//
// Intervals: the pass after a process' first one comes earlier by a random share of the splay, so that libraries with
// the same interval do not move in step; from then on the distance is exactly the interval.
//
// Planned times: each pass comes later than its time by a random delay, at most the splay's share of the distance to
// the next planned time, and 10 min. A pass serves every planned time up to its start, and a served one does not come
// again when the clock is set back by less than a day (or by less than the distance of two, where that is longer).
class Schedule {
public:
    // `interval` > 0; `splay` from 0 to 0.5, as a share of it.
    Schedule(Duration interval, double splay);
    Schedule(PlannedTimes times, double splay);

    // When the daemon starts, or the resource is new: `last_started` is nothing if it never ran. A time that was missed
    // meanwhile is caught up within 60 s. Never before `now`, and never more than an interval (and the spread) after
    // it, even if the last start seems to lie in the future.
    Instant first_due(Instant now, std::optional<Instant> last_started, double random) const;

    // After the first pass of this process, which began at `started`.
    Instant second_due(Instant started, double random) const;

    // After a pass that was planned for `planned` and began at `started`. Intervals: in step with the plan, so that the
    // rate is exact, or an interval after the start where the plan was not kept (asked for early, or late by an
    // interval). Planned times: a pass asked for early leaves the plan as it is.
    Instant next_due(Instant planned, Instant started, double random) const;

    // The clock was set back to `now` while somebody waited for `due`, of which `left` remains by a clock that nobody
    // sets. An interval is time that passes; a planned time is what the clock shows.
    Instant revised(Instant due, Instant now, Duration left, double random) const;

    // How often a resource in trouble is worth a look: the interval, or an hour.
    Duration pace() const;

    // From `at` on, until the next pass is due: the interval, or the way to the next planned time.
    Duration distance_after(Instant at) const;

    // When a table published by a pass that began at `started` is late, unless published again: two hours past the next
    // planned time. nothing for intervals: they go by the age of the rows.
    std::optional<Instant> late_at(Instant started) const;
    // The age at which a table is late when nobody says otherwise: three intervals, at least 30 min; or the longest
    // distance of two planned times and two hours.
    Duration default_late_after() const;
    // The same for the last proof of completeness: three distances instead of one.
    Duration default_proven_late_after() const;

private:
    Duration spread(Duration distance, double random, Duration most) const;
    Instant next_planned(const PlannedTimes& times, Instant after, double random) const;
    Instant keep_or_plan(const PlannedTimes& times, Instant due, Instant now, double random) const;

    std::variant<Duration, PlannedTimes> rhythm_;
    double splay_;
};

}  // namespace shelfd::schedule

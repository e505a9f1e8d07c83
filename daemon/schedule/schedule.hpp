// When a resource is due: at a fixed interval, spread at the start; or at planned local times.
#pragma once

#include "base/instant.hpp"
#include "schedule/planned_times.hpp"

#include <optional>
#include <variant>

namespace shelfd::schedule {

// A pure value. `random` is in [0, 1). It answers in wall-clock time, which may jump: call `revised` while waiting.
//
// A table that was never filled is due immediately. Missed passes are caught up by a single pass. Passes never overlap:
// the caller asks for the next one after the last has ended, and a pass that took longer than several intervals is
// followed by one pass at once, not by all it missed.
//
// Intervals: the second pass of a process comes earlier by a random share of the splay, so that libraries with the same
// interval do not run in step; from then on the distance is exactly the interval.
//
// Planned times: each pass comes later than its time by a random delay, at most the splay's share of the distance to
// the next planned time, and at most 10 min. A pass serves every planned time before its start. A served time does not
// come again when the clock is set back by less than a day (or by less than the distance of two times, if that is
// longer).
class Schedule {
public:
    // `interval` > 0; `splay` is a share of it, from 0 to 0.5.
    Schedule(Duration interval, double splay);
    Schedule(PlannedTimes times, double splay);

    // Call when the daemon starts or the resource is new; `last_started` is empty if it never ran. A missed time is
    // caught up within 60 s. Never before `now`, and at most an interval (plus the spread) after it, even if the last
    // start seems to lie in the future.
    Instant first_due(Instant now, std::optional<Instant> last_started, double random) const;

    // Call after the first pass of this process, which began at `started`.
    Instant second_due(Instant started, double random) const;

    // Call after a pass that was planned for `planned` and began at `started`. Intervals: one interval after the plan,
    // so that the rate is exact; or one interval after the start if the plan was not kept (requested early, or late by
    // an interval). Planned times: a pass requested early does not change the plan.
    Instant next_due(Instant planned, Instant started, double random) const;

    // Call when the clock was set back to `now` during a wait for `due`, of which `left` remains by a clock that nobody
    // can set. An interval is elapsed time; a planned time is what the clock shows.
    Instant revised(Instant due, Instant now, Duration left, double random) const;

    // How often to try a resource that has a problem: after the interval, or after an hour.
    Duration pace() const;

    // Time from `at` to the next pass: the interval, or the distance to the next planned time.
    Duration distance_after(Instant at) const;

    // When a table published by a pass that began at `started` is late unless it is published again: two hours after
    // the next planned time. Empty for intervals, where the age of the rows decides.
    std::optional<Instant> late_at(Instant started) const;
    // The default age at which a table is late: three intervals, at least 30 min; or the longest distance of two
    // planned times plus two hours.
    Duration default_late_after() const;
    // The same for the last proof of completeness: with three distances instead of one.
    Duration default_proven_late_after() const;

private:
    Duration spread(Duration distance, double random, Duration most) const;
    Instant next_planned(const PlannedTimes& times, Instant after, double random) const;
    Instant keep_or_plan(const PlannedTimes& times, Instant due, Instant now, double random) const;

    std::variant<Duration, PlannedTimes> rhythm_;
    double splay_;
};

}  // namespace shelfd::schedule

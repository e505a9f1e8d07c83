#include "schedule/schedule.hpp"

#include <algorithm>
#include <utility>

namespace shelfd::schedule {
namespace {

// After a long stop everything is due at once: spreading it over a minute avoids a burst, and costs nobody time.
constexpr Duration max_catch_up = std::chrono::seconds(60);
// "At 03:30" still holds for a pass that begins within it.
constexpr Duration max_delay = std::chrono::minutes(10);
// A wrong zone or battery sets a clock back by hours; after a larger step, planning starts again.
constexpr Duration max_repeat = std::chrono::hours(24);
// Time allowed for a planned pass, including retries, before the table counts as late.
constexpr Duration planned_grace = std::chrono::hours(2);
constexpr Duration planned_pace = std::chrono::hours(1);
constexpr Duration min_late_after = std::chrono::minutes(30);

}  // namespace

Schedule::Schedule(Duration interval, double splay)
    : rhythm_(std::max(interval, Duration(1))), splay_(std::clamp(splay, 0.0, 0.5))
{
}

Schedule::Schedule(PlannedTimes times, double splay) : rhythm_(std::move(times)), splay_(std::clamp(splay, 0.0, 0.5)) {}

Duration Schedule::spread(Duration distance, double random, Duration most) const
{
    const auto share = Duration(static_cast<std::int64_t>(static_cast<double>(distance.count()) * splay_));
    const auto widest = static_cast<double>(std::min(share, most).count());
    return Duration(static_cast<std::int64_t>(widest * std::clamp(random, 0.0, 1.0)));
}

Instant Schedule::next_planned(const PlannedTimes& times, Instant after, double random) const
{
    const auto planned = times.next_after(after);
    return planned + spread(times.next_after(planned) - planned, random, max_delay);
}

Instant Schedule::keep_or_plan(const PlannedTimes& times, Instant due, Instant now, double random) const
{
    const auto furthest = times.next_after(std::max(times.next_after(now), now + max_repeat)) + max_delay;
    return due > now && due <= furthest ? due : next_planned(times, now, random);
}

Instant Schedule::first_due(Instant now, std::optional<Instant> last_started, double random) const
{
    if (!last_started) {
        return now;
    }
    if (const auto* times = std::get_if<PlannedTimes>(&rhythm_)) {
        const auto due = next_planned(*times, *last_started, random);
        return due > now ? keep_or_plan(*times, due, now, random) : now + spread(now - due, random, max_catch_up);
    }
    const auto interval = std::get<Duration>(rhythm_);
    const auto due = std::min(*last_started, now) + interval;
    return due > now ? due : now + spread(interval, random, max_catch_up);
}

Instant Schedule::second_due(Instant started, double random) const
{
    if (const auto* times = std::get_if<PlannedTimes>(&rhythm_)) {
        return next_planned(*times, started, random);
    }
    const auto interval = std::get<Duration>(rhythm_);
    return started + interval - spread(interval, random, interval);
}

Instant Schedule::next_due(Instant planned, Instant started, double random) const
{
    if (const auto* times = std::get_if<PlannedTimes>(&rhythm_)) {
        // A delay is shorter than the distance to the next planned time, so this compares the planned times without
        // delays.
        const bool served = planned < times->next_after(started);
        return served ? next_planned(*times, started, random) : keep_or_plan(*times, planned, started, random);
    }
    const auto interval = std::get<Duration>(rhythm_);
    const auto in_step = planned + interval;
    return planned <= started && started < in_step ? in_step : started + interval;
}

Instant Schedule::revised(Instant due, Instant now, Duration left, double random) const
{
    const auto* times = std::get_if<PlannedTimes>(&rhythm_);
    return times != nullptr ? keep_or_plan(*times, due, now, random) : now + left;
}

Duration Schedule::pace() const
{
    const auto* interval = std::get_if<Duration>(&rhythm_);
    return interval != nullptr ? *interval : planned_pace;
}

Duration Schedule::distance_after(Instant at) const
{
    const auto* times = std::get_if<PlannedTimes>(&rhythm_);
    return times != nullptr ? times->next_after(at) - at : std::get<Duration>(rhythm_);
}

std::optional<Instant> Schedule::late_at(Instant started) const
{
    const auto* times = std::get_if<PlannedTimes>(&rhythm_);
    return times != nullptr ? std::optional(times->next_after(started) + planned_grace) : std::nullopt;
}

Duration Schedule::default_late_after() const
{
    if (const auto* times = std::get_if<PlannedTimes>(&rhythm_)) {
        return times->max_gap() + planned_grace;
    }
    return std::max<Duration>(3 * std::get<Duration>(rhythm_), min_late_after);
}

Duration Schedule::default_proven_late_after() const
{
    const auto* times = std::get_if<PlannedTimes>(&rhythm_);
    return times != nullptr ? 3 * times->max_gap() + planned_grace : default_late_after();
}

}  // namespace shelfd::schedule

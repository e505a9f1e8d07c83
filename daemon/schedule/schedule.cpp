#include "schedule/schedule.hpp"

#include <algorithm>

namespace shelfd::schedule {
namespace {

// After a long stop everything is due at once: a minute spreads the first requests, and nobody waits for it.
constexpr Duration longest_catch_up = std::chrono::seconds(60);

}  // namespace

Schedule::Schedule(Duration interval, double splay)
    : interval_(std::max(interval, Duration(1))), splay_(std::clamp(splay, 0.0, 0.5))
{
}

Duration Schedule::spread(double random, Duration most) const
{
    const auto share = Duration(static_cast<std::int64_t>(static_cast<double>(interval_.count()) * splay_));
    const auto widest = static_cast<double>(std::min(share, most).count());
    return Duration(static_cast<std::int64_t>(widest * std::clamp(random, 0.0, 1.0)));
}

Instant Schedule::first_due(Instant now, std::optional<Instant> last_started, double random) const
{
    if (!last_started) {
        return now;
    }
    const auto due = std::min(*last_started, now) + interval_;
    return due > now ? due : now + spread(random, longest_catch_up);
}

Instant Schedule::second_due(Instant started, double random) const
{
    return started + interval_ - spread(random, interval_);
}

Instant Schedule::next_due(Instant planned, Instant started) const
{
    const auto in_step = planned + interval_;
    return planned <= started && started < in_step ? in_step : started + interval_;
}

Duration default_late_after(Duration interval)
{
    return std::max<Duration>(3 * interval, std::chrono::minutes(30));
}

}  // namespace shelfd::schedule

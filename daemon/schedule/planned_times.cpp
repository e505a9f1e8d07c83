#include "schedule/planned_times.hpp"

#include <date/date.h>
#include <date/tz.h>

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace shelfd::schedule {
namespace {

using Micros = std::chrono::microseconds;
using SystemTime = date::sys_time<Micros>;

SystemTime resolve(date::local_time<Micros> local, const date::time_zone& zone)
{
    const auto info = zone.get_info(local);
    switch (info.result) {
    case date::local_info::nonexistent: return info.first.end;  // the instant at which the gap ends
    case date::local_info::ambiguous:                           // `first` is the earlier reading
    default: return SystemTime(local.time_since_epoch() - info.first.offset);
    }
}

}  // namespace

Result<PlannedTimes> PlannedTimes::load(std::vector<std::chrono::minutes> times, Weekdays days, const std::string& zone)
{
    if (times.empty() || days.none()) {
        return Error(ErrorKind::config, "a plan needs at least one time and one weekday");
    }
    try {
        return PlannedTimes(std::move(times), days, date::locate_zone(zone));
    } catch (const std::runtime_error&) {
        return Error(ErrorKind::config, fmt::format("the time zone \"{}\" is unknown on this machine", zone));
    }
}

Duration PlannedTimes::max_gap() const
{
    return shelfd::max_gap(times_, days_);
}

Instant PlannedTimes::next_after(Instant instant) const
{
    const SystemTime after{Micros(instant.micros())};
    const auto today = date::floor<date::days>(zone_->to_local(after));
    // Earlier days count too: a clock that skips or repeats hours, or a whole day, can move a planned time across
    // midnight. Nine days ahead contain every weekday even then.
    auto best = SystemTime::max();
    for (auto day = today - date::days(2); day <= today + date::days(9); day += date::days(1)) {
        const auto weekday = date::weekday(date::local_days(day)).iso_encoding() - 1;
        if (!days_.test(weekday)) {
            continue;
        }
        for (const auto time : times_) {
            const auto due = resolve(day + time, *zone_);
            if (due > after) {
                best = std::min(best, due);
            }
        }
    }
    return Instant::from_micros(best.time_since_epoch().count());
}

}  // namespace shelfd::schedule

#include "sync/plan/configured_rhythm.hpp"

#include <utility>

namespace shelfd::sync {
namespace {

Result<schedule::Schedule> schedule_of(const config::Schedule& wanted)
{
    if (wanted.at.empty()) {
        return schedule::Schedule(wanted.interval, wanted.splay);
    }
    SHELFD_TRY_ASSIGN(times, schedule::PlannedTimes::load(wanted.at, wanted.days, wanted.timezone));
    return schedule::Schedule(std::move(times), wanted.splay);
}

Result<Repetition> repetition_of(const config::Schedule& wanted)
{
    if (wanted.at.empty()) {
        return Repetition(wanted.interval);
    }
    SHELFD_TRY_ASSIGN(times, schedule::PlannedTimes::load(wanted.at, wanted.days, wanted.timezone));
    return Repetition(std::move(times));
}

Result<WindowPlan> windows_of(const config::Resource& resource, Duration pause)
{
    const auto& wanted = *resource.window;
    SHELFD_TRY_ASSIGN(windows, schedule::Windows::load(wanted.since, wanted.step, wanted.timezone));
    SHELFD_TRY_ASSIGN(again, repetition_of(*resource.full));
    WindowPlan::Settings settings{.windows = windows, .back = wanted.back, .again = std::move(again), .pause = pause};
    if (resource.settle) {
        SHELFD_TRY_ASSIGN(settle, repetition_of(*resource.settle));
        settings.settle = std::move(settle);
        settings.settle_back = wanted.settle_back;
    }
    return WindowPlan(std::move(settings));
}

Result<Rhythm> rhythm_without_quiet_hours(const config::Resource& resource)
{
    SHELFD_TRY_ASSIGN(ordinary, schedule_of(resource.schedule));
    if (resource.window) {
        SHELFD_TRY_ASSIGN(windows, windows_of(resource, ordinary.pace()));
        return Rhythm(std::move(ordinary), std::move(windows));
    }
    if (!resource.full) {
        return Rhythm(std::move(ordinary), std::nullopt);
    }
    SHELFD_TRY_ASSIGN(full, schedule_of(*resource.full));
    return Rhythm(std::move(ordinary), std::move(full));
}

}  // namespace

Result<schedule::QuietHours> quiet_hours_of(const config::Service& service)
{
    return schedule::QuietHours::load(service.quiet, service.timezone);
}

Result<Rhythm> rhythm_of(const config::Resource& resource, const schedule::QuietHours& quiet)
{
    SHELFD_TRY_ASSIGN(rhythm, rhythm_without_quiet_hours(resource));
    rhythm.keep_quiet(quiet);
    return rhythm;
}

}  // namespace shelfd::sync

#include "sync/plan/configured_rhythm.hpp"

#include <utility>

namespace shelfd::sync {
namespace {

Result<schedule::Schedule> schedule_of(const config::Schedule& wanted)
{
    if (wanted.at.empty()) {
        return schedule::Schedule(wanted.interval, wanted.splay);
    }
    auto times = schedule::PlannedTimes::load(wanted.at, wanted.days, wanted.timezone);
    if (!times) {
        return times.error();
    }
    return schedule::Schedule(std::move(*times), wanted.splay);
}

Result<Repetition> repetition_of(const config::Schedule& wanted)
{
    if (wanted.at.empty()) {
        return Repetition(wanted.interval);
    }
    auto times = schedule::PlannedTimes::load(wanted.at, wanted.days, wanted.timezone);
    return times ? Result<Repetition>(Repetition(std::move(*times))) : times.error();
}

Result<WindowPlan> windows_of(const config::Resource& resource, Duration pause)
{
    const auto& wanted = *resource.window;
    auto windows = schedule::Windows::load(wanted.since, wanted.step, wanted.timezone);
    if (!windows) {
        return windows.error();
    }
    auto again = repetition_of(*resource.full);
    if (!again) {
        return again.error();
    }
    WindowPlan::Settings settings{.windows = *windows, .back = wanted.back, .again = std::move(*again), .pause = pause};
    if (resource.settle) {
        auto settle = repetition_of(*resource.settle);
        if (!settle) {
            return settle.error();
        }
        settings.settle = std::move(*settle);
        settings.settle_back = wanted.settle_back;
    }
    return WindowPlan(std::move(settings));
}

}  // namespace

Result<Rhythm> rhythm_of(const config::Resource& resource)
{
    auto ordinary = schedule_of(resource.schedule);
    if (!ordinary) {
        return ordinary.error();
    }
    if (resource.window) {
        auto windows = windows_of(resource, ordinary->pace());
        if (!windows) {
            return windows.error();
        }
        return Rhythm(std::move(*ordinary), std::move(*windows));
    }
    if (!resource.full) {
        return Rhythm(std::move(*ordinary), std::nullopt);
    }
    auto full = schedule_of(*resource.full);
    if (!full) {
        return full.error();
    }
    return Rhythm(std::move(*ordinary), std::move(*full));
}

}  // namespace shelfd::sync

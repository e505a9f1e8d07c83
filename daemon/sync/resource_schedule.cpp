#include "sync/resource_schedule.hpp"

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

}  // namespace

Result<Rhythm> rhythm_of(const config::Resource& resource)
{
    auto ordinary = schedule_of(resource.schedule);
    if (!ordinary) {
        return ordinary.error();
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

#include "sync/resource_schedule.hpp"

#include <utility>

namespace shelfd::sync {

Result<schedule::Schedule> schedule_of(const config::Resource& resource)
{
    const auto& wanted = resource.schedule;
    if (wanted.at.empty()) {
        return schedule::Schedule(wanted.interval, wanted.splay);
    }
    auto times = schedule::PlannedTimes::load(wanted.at, wanted.days, wanted.timezone);
    if (!times) {
        return times.error();
    }
    return schedule::Schedule(std::move(*times), wanted.splay);
}

}  // namespace shelfd::sync

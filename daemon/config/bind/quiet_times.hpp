// Planned times in quiet hours, which come at the end of these hours.
#pragma once

#include "config/bind/bind_schedule.hpp"
#include "config/model/model.hpp"
#include "config/tree/fault.hpp"

namespace shelfd::config {

// Warns of each time of `resource` that lies in the quiet hours of `library`: whoever wrote it expects a pass then.
// Names the library if the quiet hours are its own. Times of another zone are not compared, since their distance
// changes with the season.
void warn_of_quiet_times(const ScheduleTables& tables, const Resource& resource, const Library& library,
                         FaultList& faults);

}  // namespace shelfd::config

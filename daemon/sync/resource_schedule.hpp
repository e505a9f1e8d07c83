// The schedule that the configuration of a resource means.
#pragma once

#include "base/result.hpp"
#include "config/model.hpp"
#include "schedule/schedule.hpp"

namespace shelfd::sync {

// Reads the system's time zones where there are planned times. Errors: config, for a zone that has gone since the
// configuration was checked.
Result<schedule::Schedule> schedule_of(const config::Resource& resource);

}  // namespace shelfd::sync

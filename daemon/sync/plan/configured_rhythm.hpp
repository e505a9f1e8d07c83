// Makes a resource's rhythm from its configuration.
#pragma once

#include "base/result.hpp"
#include "config/model/model.hpp"
#include "sync/plan/rhythm.hpp"

namespace shelfd::sync {

// Reads the system's time zones if there are planned times. Errors: config, if a zone was removed after the
// configuration was checked.
Result<Rhythm> rhythm_of(const config::Resource& resource, const schedule::QuietHours& quiet = {});
// Likewise.
Result<schedule::QuietHours> quiet_hours_of(const config::Service& service);

}  // namespace shelfd::sync

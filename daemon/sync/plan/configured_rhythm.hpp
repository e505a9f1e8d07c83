// The rhythm that the configuration of a resource means.
#pragma once

#include "base/result.hpp"
#include "config/model/model.hpp"
#include "sync/plan/rhythm.hpp"

namespace shelfd::sync {

// Reads the system's time zones where there are planned times. Errors: config, for a zone that has gone since the
// configuration was checked.
Result<Rhythm> rhythm_of(const config::Resource& resource);

}  // namespace shelfd::sync

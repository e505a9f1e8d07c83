// Turns the configuration into the options of a library's mirror, and the schedules of its tables.
#pragma once

#include "app/services/daemon_services.hpp"
#include "app/stores/mirror_place.hpp"
#include "base/result.hpp"
#include "config/model/model.hpp"
#include "mirror/mirror.hpp"
#include "sync/plan/rhythm.hpp"

#include <vector>

namespace shelfd::app {

// Of each resource, in order. Errors: config, for an unknown time zone.
Result<std::vector<sync::Rhythm>> rhythms_of(const config::Library& library);

MirrorPlace mirror_place(const std::string& library, const DaemonServices& services);

// `services` must outlive the mirror.
mirror::MirrorOptions mirror_options(const config::Library& library, const DaemonServices& services);

// `rhythms` are those of the library's resources, in order.
std::vector<mirror::ResourceSpec> resource_specs(const config::Library& library,
                                                 const std::vector<sync::Rhythm>& rhythms);

}  // namespace shelfd::app

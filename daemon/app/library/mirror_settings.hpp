// Turns the configuration into the options of a library's mirror.
#pragma once

#include "app/services/daemon_services.hpp"
#include "config/model/model.hpp"
#include "mirror/mirror.hpp"
#include "sync/plan/rhythm.hpp"

#include <vector>

namespace shelfd::app {

// The clock of `services` must outlive the mirror.
mirror::MirrorOptions mirror_options(const config::Library& library, const DaemonServices& services);

// `rhythms` are those of the library's resources, in order.
std::vector<mirror::ResourceSpec> resource_specs(const config::Library& library,
                                                 const std::vector<sync::Rhythm>& rhythms);

}  // namespace shelfd::app

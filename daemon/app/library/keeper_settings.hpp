// Turns the configuration into the settings and services of the keeper of a library's token set.
#pragma once

#include "app/services/daemon_services.hpp"
#include "budget/limiter.hpp"
#include "config/model/model.hpp"
#include "oauth/keeper/token_keeper.hpp"

#include <cstdint>
#include <functional>

namespace shelfd::app {

// The canary of `identity`; without one, the first list, until it is known which one refuses wrong tokens.
oauth::CanarySpec canary_spec(const config::Library& library);
oauth::CanarySpec canary_of(const config::Library& library, const config::Resource& list);

// `services` and `limiter` must outlive the keeper.
oauth::TokenKeeper::Settings keeper_settings(const config::Library& library, const DaemonServices& services);
oauth::Store store_of(const config::Library& library, const DaemonServices& services);
// Called after each canary with the number of its requests.
using CountCanary = std::function<void(std::uint32_t requests)>;
oauth::TokenKeeper::Services keeper_services(const config::Library& library, DaemonServices& services,
                                             budget::Limiter& limiter, CountCanary count);

}  // namespace shelfd::app

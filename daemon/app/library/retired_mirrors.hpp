// Mirrors below storage.mirrors that no library of the configuration fills any more.
#pragma once

#include "app/services/daemon_services.hpp"
#include "config/model/model.hpp"

#include <boost/asio/awaitable.hpp>

namespace shelfd::app {

// Marks each of them as retired, and logs those that were not marked yet. A file that cannot be marked is logged and
// skipped. `services` outlives the call.
asio::awaitable<void> retire_unowned(DaemonServices& services, config::Libraries libraries);

}  // namespace shelfd::app

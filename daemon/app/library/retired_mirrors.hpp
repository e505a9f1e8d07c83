// Mirrors below storage.mirrors that no configured library fills any more.
#pragma once

#include "app/services/daemon_services.hpp"
#include "config/model/model.hpp"

#include <boost/asio/awaitable.hpp>

namespace shelfd::app {

// Marks them as retired, and logs those that were not marked yet. A file that cannot be marked is logged and skipped.
// `services` must outlive the call.
asio::awaitable<void> retire_unowned(DaemonServices& services, config::Libraries libraries);

}  // namespace shelfd::app

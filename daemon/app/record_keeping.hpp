// Keeps up to date what each mirror says about its token set, its request limit and its consumers.
#pragma once

#include "app/alerts/alerts.hpp"
#include "app/library/library_set.hpp"
#include "app/services/daemon_services.hpp"

namespace shelfd::app {

// Every minute in which something changed, or after a mirror could not be written; otherwise every ten minutes, until
// cancelled. Mirrors whose records stay the same are not opened. References must outlive it.
asio::awaitable<void> keep_records(DaemonServices& services, const LibrarySet& libraries, const Alerts& alerts);

}  // namespace shelfd::app

// What the daemon does when there is little to do: it becomes small.
#pragma once

#include "app/library/library_set.hpp"
#include "app/services/daemon_services.hpp"

namespace shelfd::app {

// Every minute, until cancelled: closes mirrors that nobody uses, and gives memory back to the system. Both outlive it.
asio::awaitable<void> tend_idle_libraries(DaemonServices& services, const LibrarySet& libraries);

}  // namespace shelfd::app

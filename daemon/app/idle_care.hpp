// Keeps an idle daemon small.
#pragma once

#include "app/library/library_set.hpp"
#include "app/services/daemon_services.hpp"

namespace shelfd::app {

// Until cancelled: closes unused mirrors, each minute, and returns memory to the system when they rest. References must
// outlive it.
asio::awaitable<void> tend_idle_libraries(DaemonServices& services, const LibrarySet& libraries);

}  // namespace shelfd::app

// What the daemon does for all libraries while it serves, besides passes and refreshes.
#pragma once

#include "app/alerts/alerts.hpp"
#include "app/library/library_set.hpp"
#include "app/services/daemon_services.hpp"
#include "runtime/async/task_group.hpp"

namespace shelfd::app {

// In tasks of `tasks`; the others must outlive them.
void start_upkeep(TaskGroup& tasks, DaemonServices& services, const LibrarySet& libraries, const Alerts& alerts);

}  // namespace shelfd::app

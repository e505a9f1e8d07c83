// Passes that a person requests, and their progress.
#pragma once

#include "app/library/library_unit.hpp"
#include "control/model/operations.hpp"
#include "runtime/async/async_event.hpp"

#include <vector>

namespace shelfd::app {

// As control::Operations::sync, of at least one unit. They must be in use until it ends; `changed` is notified of
// changes of the status.
asio::awaitable<Result<void>> sync_now(std::vector<LibraryUnit*> units, AsyncEvent& changed,
                                       control::SyncRequest request, control::ProgressSink sink);

}  // namespace shelfd::app

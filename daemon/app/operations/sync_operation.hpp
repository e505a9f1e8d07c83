// Passes that a person asks for, and what they report while they run.
#pragma once

#include "app/library/library_unit.hpp"
#include "control/model/operations.hpp"
#include "runtime/async/async_event.hpp"

namespace shelfd::app {

// As control::Operations::sync. The unit is in use until it ends; `changed` is notified when a status may have changed.
asio::awaitable<Result<void>> sync_now(LibraryUnit& unit, AsyncEvent& changed, control::SyncRequest request,
                                       control::ProgressSink sink);

}  // namespace shelfd::app

// Changes to a library's mirror through the control socket.
#pragma once

#include "app/library/library_unit.hpp"
#include "control/model/operations.hpp"
#include "runtime/async/async_event.hpp"

#include <string>

namespace shelfd::app {

// The unit must be in use until they end. For each, see the function of that name of control::Operations.
asio::awaitable<Result<control::SnapshotReport>> snapshot(LibraryUnit& unit, control::LibraryRequest request);
asio::awaitable<Result<control::RetypeReport>> retype(LibraryUnit& unit, control::RetypeRequest request);
asio::awaitable<Result<void>> acknowledge(LibraryUnit& unit, control::AcknowledgeRequest request);
asio::awaitable<Result<void>> forget_consumer(LibraryUnit& unit, control::AcknowledgeRequest request);
asio::awaitable<Result<control::HeldReport>> held(LibraryUnit& unit, control::HeldRequest request);
// Errors: as Mirror::decide, and stopped. `changed` is notified when a pass has ended.
asio::awaitable<Result<control::DecideReport>> decide(LibraryUnit& unit, AsyncEvent& changed,
                                                      control::DecideRequest request);

}  // namespace shelfd::app

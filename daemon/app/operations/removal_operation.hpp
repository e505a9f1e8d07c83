// Forgets a library: revoked at the service where that is configured, then removed from the disks.
#pragma once

#include "app/configuration/reloader.hpp"
#include "app/library/library_set.hpp"
#include "control/model/operations.hpp"

namespace shelfd::app {

// See Operations::remove_library. The references must outlive the call.
asio::awaitable<Result<control::RemovalReport>> remove_library(LibrarySet& libraries, Reloader& reloader,
                                                               control::RemovalRequest request);

}  // namespace shelfd::app

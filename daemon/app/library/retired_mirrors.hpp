// Mirrors below storage.mirrors that no library of the configuration fills any more.
#pragma once

#include "app/library/daemon_services.hpp"
#include "config/model/model.hpp"

#include <boost/asio/awaitable.hpp>

namespace shelfd::app {

// Tells each of them so; the log hears of those that did not know. A file that cannot be told keeps nobody from
// anything. `parts` outlives the call.
asio::awaitable<void> retire_unowned(DaemonServices& parts, config::Libraries libraries);

}  // namespace shelfd::app

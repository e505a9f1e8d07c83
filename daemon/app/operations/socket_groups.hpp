// Who may use the control socket, for the status and for reloads.
#pragma once

#include "control/model/status.hpp"
#include "control/server/server.hpp"

#include <string>
#include <vector>

namespace shelfd::app {

// Of groups that are not there.
std::vector<control::Notice> notices_of(const control::Server& control, Instant since);

// See Server::renew_rights. `control`: nullptr with --once.
asio::awaitable<std::vector<std::string>> renew_rights(control::Server* control);

}  // namespace shelfd::app

// One connection of a client: requests in, answers out, and the faults of the script on the way.
#pragma once

#include "sim/hub.hpp"

#include <boost/asio/awaitable.hpp>

namespace shelfd::sim {

// Ends when the client closes, when the idle time is over, when a fault cuts, or when the hub stops.
asio::awaitable<void> serve_connection(asio::ip::tcp::socket socket, std::shared_ptr<Hub> hub);

}  // namespace shelfd::sim

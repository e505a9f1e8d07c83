// What all connections of one server share, and how they are ended.
#pragma once

#include "base/instant.hpp"
#include "sim/service.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace shelfd::sim {

namespace asio = boost::asio;

// Shared by the server and its connections, because a loop that is not the server's own may end them later than it.
// But for `service`, used from the loop's thread only.
struct Hub {
    Hub(asio::io_context& loop, WorldOptions options) : service(std::move(options)), acceptor(loop) {}

    Service service;
    asio::ip::tcp::acceptor acceptor;
    std::optional<asio::ssl::context> tls;
    Duration idle_close{0};

    // How to end each open connection; under a key that grows.
    std::map<std::uint64_t, std::function<void()>> connections;
    std::uint64_t next_connection = 0;
    bool stopping = false;

    void stop()
    {
        stopping = true;
        boost::system::error_code ignored;
        acceptor.close(ignored);
        for (const auto& [key, end] : connections) {
            end();
        }
    }
};

}  // namespace shelfd::sim

// One client of the control socket: requests in, answers and streams of lines out, each with a limit of time and size.
#pragma once

#include "control/api.hpp"
#include "runtime/clock.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <memory>

namespace shelfd::control {

// Loop only; `api` and `clock` outlive it. Every error of the wire ends the connection in silence: the client has gone,
// or is none.
class Connection {
public:
    Connection(asio::local::stream_protocol::socket socket, Peer peer, const Api& api, Clock& clock);
    ~Connection();

    // Returns when the client has gone, was too slow, or `close` was called.
    asio::awaitable<void> serve();
    void close();

    const Peer& peer() const;

private:
    class Wire;
    std::unique_ptr<Wire> wire_;
};

}  // namespace shelfd::control

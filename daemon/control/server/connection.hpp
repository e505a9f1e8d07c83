// One client of the control socket: its requests in order, each answered once or with a stream.
#pragma once

#include "control/api/api.hpp"
#include "control/api/line_queue.hpp"
#include "control/server/wire.hpp"
#include "runtime/async/clock.hpp"

namespace shelfd::control {

// Loop only; `api` and `clock` must outlive this object. Errors of the wire end the connection silently: the client has
// left, or speaks no HTTP.
class Connection {
public:
    // `crowded`: why this connection gets short answers only, one sentence; "" = it may hold a stream.
    Connection(asio::local::stream_protocol::socket socket, Peer peer, const Api& api, Clock& clock,
               std::string crowded)
        : wire_(std::move(socket), std::move(peer), clock), api_(api), clock_(clock), crowded_(std::move(crowded))
    {
    }

    // Returns when the client has left, was too slow, or `close` was called.
    asio::awaitable<void> serve();
    // Answers any request with `reply`, then ends.
    asio::awaitable<void> refuse(Reply reply);
    void close() { wire_.close(); }

    const Peer& peer() const { return wire_.peer(); }

private:
    asio::awaitable<void> serve_all();
    asio::awaitable<void> send_last(Reply reply);
    asio::awaitable<bool> serve_one();
    asio::awaitable<void> stream(const Reply& reply);
    asio::awaitable<void> produce(const Reply& reply, LineQueue& lines);
    asio::awaitable<void> deliver(LineQueue& lines);

    Wire wire_;
    const Api& api_;
    Clock& clock_;
    const std::string crowded_;
};

}  // namespace shelfd::control

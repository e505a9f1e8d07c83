// One client: its requests in order, each answered once or with a stream.
#pragma once

#include "control/api/call.hpp"
#include "control/api/line_queue.hpp"
#include "control/server/wire.hpp"
#include "runtime/async/clock.hpp"

#include <functional>
#include <optional>

namespace shelfd::control {

// Loop only; `answerer` and `clock` must outlive this object. Errors of the wire end the connection silently: the
// client has left, or speaks no HTTP.
class Connection {
public:
    // `crowded`: why this connection gets short answers only, one sentence; "" = it may hold a stream.
    Connection(StreamSocket socket, Peer peer, const Answerer& answerer, Clock& clock, std::string crowded,
               WireLimits limits = {})
        : wire_(std::move(socket), std::move(peer), clock, limits), answerer_(answerer), clock_(clock),
          crowded_(std::move(crowded))
    {
    }

    // Returns when the client has left, was too slow, or `close` was called.
    asio::awaitable<void> serve();
    // What the client asked, if it sent a whole request.
    using Heard = std::function<asio::awaitable<void>(std::optional<Call>)>;
    // Answers any request with `reply`, reads the request for `heard`, unless that is empty, then ends.
    asio::awaitable<void> refuse(Reply reply, Heard heard);
    void close() { wire_.close(); }
    bool is_closed() const { return wire_.is_closed(); }

    // No request is under way: the client is silent, or still sends one.
    bool awaits_request() const { return awaits_request_; }

    const Peer& peer() const { return wire_.peer(); }

private:
    asio::awaitable<void> serve_all();
    asio::awaitable<void> send_last(Reply reply, Heard heard = {});
    asio::awaitable<bool> serve_one();
    asio::awaitable<void> stream(const Reply& reply);
    asio::awaitable<void> produce(const Reply& reply, LineQueue& lines);
    asio::awaitable<void> deliver(LineQueue& lines);

    Wire wire_;
    const Answerer& answerer_;
    Clock& clock_;
    const std::string crowded_;
    bool awaits_request_ = true;
};

}  // namespace shelfd::control

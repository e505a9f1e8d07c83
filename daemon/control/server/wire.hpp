// HTTP/1.1 as the control socket speaks it, with a limit of time and size on everything.
#pragma once

#include "control/api/api.hpp"
#include "runtime/async/clock.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <memory>
#include <string>
#include <variant>

namespace shelfd::control {

enum class KeepAlive { no, yes };

// One connection. Functions that return a bool say whether the client is still there; when it is too slow the
// connection is closed, and it is not. `keep_limits` runs beside all of them. Loop only; one reading and one writing
// call at a time; `clock` outlives it.
class Wire {
public:
    struct Request {
        Call call;
        KeepAlive keep_alive = KeepAlive::no;
    };
    struct Gone {};

    Wire(asio::local::stream_protocol::socket socket, Peer peer, Clock& clock);
    ~Wire();

    // A whole request, a Reply for one that is none (to be sent, then `discard_input`), or the end.
    asio::awaitable<std::variant<Request, Reply, Gone>> read();
    asio::awaitable<bool> send(const Reply& reply, KeepAlive keep_alive);

    // A stream: the header, lines, the end of it.
    asio::awaitable<bool> open_stream(const Reply& reply);
    asio::awaitable<bool> send_line(std::string line);
    asio::awaitable<bool> finish_stream();

    // Returns when the client has closed its side; what it sends meanwhile is thrown away.
    asio::awaitable<void> watch_for_end();
    // Reads what the client still sends, for a while: closing a socket with unread bytes resets it, and the client
    // would see that instead of the answer.
    asio::awaitable<void> discard_input();

    // Closes the connection when an operation takes too long. Returns when it is closed.
    asio::awaitable<void> keep_limits();
    void close();
    const Peer& peer() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace shelfd::control

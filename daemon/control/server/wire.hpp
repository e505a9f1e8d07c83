// HTTP/1.1 of a connection, with a limit of time and size on everything.
#pragma once

#include "control/api/call.hpp"
#include "runtime/async/clock.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

namespace shelfd::control {

enum class KeepAlive { no, yes };

// A socket of any address family.
using StreamSocket = asio::generic::stream_protocol::socket;

struct WireLimits {
    Duration header = std::chrono::seconds(30);  // also for an idle connection
    std::uint64_t body = 1u << 20;               // bytes; a token set has a few hundred
};

// One connection. Functions that return a bool return false once the client is gone, also if it was too slow and the
// connection was closed. `keep_limits` runs beside them. Loop only; one reading and one writing call at a time; `clock`
// must outlive this object.
class Wire {
public:
    struct Request {
        Call call;
        KeepAlive keep_alive = KeepAlive::no;
    };
    struct Gone {};

    Wire(StreamSocket socket, Peer peer, Clock& clock, WireLimits limits = {});
    ~Wire();

    // Returns a whole request, or the Reply to an invalid one (send it, then call `discard_input`), or the end.
    asio::awaitable<std::variant<Request, Reply, Gone>> read();
    asio::awaitable<bool> send(const Reply& reply, KeepAlive keep_alive);

    // A stream: header, lines, end.
    asio::awaitable<bool> open_stream(const Reply& reply);
    asio::awaitable<bool> send_line(std::string line);
    asio::awaitable<bool> finish_stream();

    // Returns when the client has closed its side; discards what it sends meanwhile.
    asio::awaitable<void> watch_for_end();
    // Reads for a while what the client still sends: closing a socket with unread bytes resets it, and the client would
    // see the reset instead of the answer.
    asio::awaitable<void> discard_input();

    // Closes the connection when an operation takes too long. Returns when it is closed.
    asio::awaitable<void> keep_limits();
    void close();
    bool is_closed() const;
    const Peer& peer() const;

private:
    struct Stream;
    std::unique_ptr<Stream> stream_;
};

}  // namespace shelfd::control

// Waits until a socket of libcurl is ready.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>

namespace shelfd::http {

namespace asio = boost::asio;

// libcurl owns the socket and must not close it before this object is destroyed. Belongs to one coroutine. Loop only.
class SocketWatch {
public:
    enum class Side { read, write };

    // Fails with kind network, not_sent, if the kernel does not watch the socket.
    static Result<std::unique_ptr<SocketWatch>> open(const asio::any_io_executor& executor, int fd);
    SocketWatch(const SocketWatch&) = delete;
    SocketWatch& operator=(const SocketWatch&) = delete;
    ~SocketWatch();

    // From now on, at most so long. Call it before each wait, and before what makes the socket ready: no system call
    // but that of the wait itself stands between a request and its answer then.
    void set_alarm(Duration longest);
    // Returns true when the socket can be read or written, or has ended; false at the alarm. Do not suspend the
    // coroutine between the two calls. Throws operation_aborted if the coroutine was cancelled.
    asio::awaitable<bool> wait(Side side);

private:
    struct Socket;
    explicit SocketWatch(std::shared_ptr<Socket> socket);

    std::shared_ptr<Socket> socket_;
    asio::steady_timer alarm_;
};

}  // namespace shelfd::http

// Waits until a socket of libcurl is ready.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

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

    // Begins to wait, or goes on to. `longest` is counted from the last time that it was over. Call it before what
    // makes the socket ready: between a request and its answer then stand no system calls but those that wait and
    // receive.
    void begin(Side side, Duration longest);
    // Returns true when the socket can be read or written, or has ended; false if the time is over. Throws
    // operation_aborted if the coroutine was cancelled.
    asio::awaitable<bool> wait();

    // True after an error of the connection, which is not seen again by who reads: for them it has ended in order.
    bool has_failed() const;

private:
    struct Socket;
    explicit SocketWatch(std::shared_ptr<Socket> socket);

    void wait_for_socket();

    std::shared_ptr<Socket> socket_;
};

}  // namespace shelfd::http

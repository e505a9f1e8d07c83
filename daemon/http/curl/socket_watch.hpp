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

    // Starts or continues to watch one side of the socket. The alarm of `longest` is set only if none runs: a further
    // call does not put it off. Call it before the request is sent: then the only system calls between a request and
    // its answer are those that wait and receive.
    void begin(Side side, Duration longest);
    // Returns true when the socket can be read or written, or has ended; false at the alarm. Throws
    // operation_aborted if the coroutine was cancelled.
    asio::awaitable<bool> wait();

    // True after an error of the connection. The kernel reports it once, here: libcurl then sees an orderly end.
    bool has_failed() const;

private:
    struct Socket;
    explicit SocketWatch(std::shared_ptr<Socket> socket);

    void wait_for_socket();

    std::shared_ptr<Socket> socket_;
};

}  // namespace shelfd::http

#include "http/curl/socket_watch.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <fmt/format.h>

#include <sys/socket.h>

namespace shelfd::http {

// Shared with the handler of the alarm, which may already be queued when the watch is destroyed.
struct SocketWatch::Socket {
    explicit Socket(const asio::any_io_executor& executor) : of_libcurl(executor) {}

    asio::generic::stream_protocol::socket of_libcurl;
    unsigned waits = 0;
};

Result<std::unique_ptr<SocketWatch>> SocketWatch::open(const asio::any_io_executor& executor, int fd)
{
    auto socket = std::make_shared<Socket>(executor);
    boost::system::error_code refused;
    socket->of_libcurl.assign({AF_UNSPEC, 0}, fd, refused);
    if (!refused) {
        socket->of_libcurl.native_non_blocking(true, refused);  // now, or the first wait does it
    }
    if (refused) {
        return Error(ErrorKind::network, fmt::format("a connection cannot be watched: {}", refused.message()))
            .with(Delivery::not_sent);
    }
    return std::unique_ptr<SocketWatch>(new SocketWatch(std::move(socket)));
}

SocketWatch::SocketWatch(std::shared_ptr<Socket> socket)
    : socket_(std::move(socket)), alarm_(socket_->of_libcurl.get_executor())
{
}

SocketWatch::~SocketWatch()
{
    boost::system::error_code ignored;
    socket_->of_libcurl.release(ignored);
}

void SocketWatch::set_alarm(Duration longest)
{
    alarm_.expires_after(longest);
    auto rings = [socket = socket_, wait = ++socket_->waits](const boost::system::error_code& stopped) {
        if (!stopped && socket->waits == wait && socket->of_libcurl.is_open()) {
            boost::system::error_code ignored;
            socket->of_libcurl.cancel(ignored);
        }
    };
    alarm_.async_wait(std::move(rings));
}

asio::awaitable<bool> SocketWatch::wait(Side side)
{
    boost::system::error_code woken;
    const auto what = side == Side::read ? asio::socket_base::wait_read : asio::socket_base::wait_write;
    co_await socket_->of_libcurl.async_wait(what, asio::redirect_error(asio::use_awaitable, woken));
    const auto state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none) {
        throw boost::system::system_error(asio::error::operation_aborted);
    }
    alarm_.cancel();
    co_return woken != asio::error::operation_aborted;
}

}  // namespace shelfd::http

#include "http/curl/socket_watch.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <fmt/format.h>

#include <sys/socket.h>

namespace shelfd::http {

// Shared with the handlers, which may already be queued when the watch is destroyed.
struct SocketWatch::Socket {
    explicit Socket(const asio::any_io_executor& executor)
        : of_libcurl(executor), alarm(executor), woken(executor, asio::steady_timer::time_point::max())
    {
    }

    asio::generic::stream_protocol::socket of_libcurl;
    asio::steady_timer alarm;
    asio::steady_timer woken;  // never expires: its cancellation wakes the coroutine
    unsigned waits = 0;
    bool is_ready = false;
    bool has_rung = false;
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

SocketWatch::SocketWatch(std::shared_ptr<Socket> socket) : socket_(std::move(socket)) {}

SocketWatch::~SocketWatch()
{
    boost::system::error_code ignored;
    socket_->of_libcurl.release(ignored);
    socket_->alarm.cancel();
}

void SocketWatch::begin(Side side, Duration longest)
{
    boost::system::error_code ignored;
    socket_->of_libcurl.cancel(ignored);
    socket_->is_ready = false;
    socket_->has_rung = false;
    const auto wait = ++socket_->waits;
    auto note = [socket = socket_, wait](bool Socket::*what, const boost::system::error_code& stopped) {
        if (stopped != asio::error::operation_aborted && socket->waits == wait) {
            (*socket).*what = true;
            socket->woken.cancel();
        }
    };
    const auto what = side == Side::read ? asio::socket_base::wait_read : asio::socket_base::wait_write;
    socket_->of_libcurl.async_wait(what, [note](const auto& ended) { note(&Socket::is_ready, ended); });
    socket_->alarm.expires_after(longest);
    socket_->alarm.async_wait([note](const auto& stopped) { note(&Socket::has_rung, stopped); });
}

asio::awaitable<bool> SocketWatch::wait()
{
    if (!socket_->is_ready && !socket_->has_rung) {
        boost::system::error_code woken;
        co_await socket_->woken.async_wait(asio::redirect_error(asio::use_awaitable, woken));
    }
    const auto state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none) {
        throw boost::system::system_error(asio::error::operation_aborted);
    }
    co_return socket_->is_ready;
}

}  // namespace shelfd::http

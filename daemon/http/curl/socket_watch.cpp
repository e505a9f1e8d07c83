#include "http/curl/socket_watch.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

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
    std::optional<Side> side;
    unsigned waits = 0;  // for one side after the other
    bool is_waiting = false;
    bool is_alarmed = false;
    bool is_ready = false;
    bool has_rung = false;
    bool has_failed = false;
    std::array<char, 1> glimpse{};
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
    if (side != socket_->side) {
        socket_->of_libcurl.cancel(ignored);
        ++socket_->waits;
        socket_->side = side;
        socket_->is_waiting = false;
    }
    socket_->is_ready = false;
    socket_->has_rung = false;
    if (!socket_->is_waiting) {
        wait_for_socket();
    }
    if (!socket_->is_alarmed) {
        socket_->is_alarmed = true;
        socket_->alarm.expires_after(longest);
        socket_->alarm.async_wait([socket = socket_](const boost::system::error_code& stopped) {
            socket->is_alarmed = false;
            socket->has_rung = !stopped;
            socket->woken.cancel();
        });
    }
}

// An answer may come in pieces, and before it the session tickets of TLS 1.3. Asio begins each wait for readiness with
// an epoll_ctl, but a peek with the recv itself, and a timer with a timerfd_settime: so a piece costs no call besides
// those that receive.
void SocketWatch::wait_for_socket()
{
    socket_->is_waiting = true;
    auto ended = [socket = socket_, wait = socket_->waits](const boost::system::error_code& error, std::size_t = 0) {
        if (error != asio::error::operation_aborted && socket->waits == wait) {
            socket->is_waiting = false;
            socket->is_ready = true;
            socket->has_failed = socket->has_failed || (error && error != asio::error::eof);
            socket->woken.cancel();
        }
    };
    if (socket_->side == Side::read) {
        socket_->of_libcurl.async_receive(asio::buffer(socket_->glimpse), asio::socket_base::message_peek,
                                          std::move(ended));
    } else {
        socket_->of_libcurl.async_wait(asio::socket_base::wait_write, std::move(ended));
    }
}

bool SocketWatch::has_failed() const
{
    return socket_->has_failed;
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

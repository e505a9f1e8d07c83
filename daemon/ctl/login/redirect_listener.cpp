#include "ctl/login/redirect_listener.hpp"

#include "ctl/context/ending_signals.hpp"
#include "ctl/login/redirect_page.hpp"
#include "runtime/async/deadline.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <utility>

namespace shelfd::ctl {
namespace {

using asio::ip::tcp;

constexpr std::size_t max_head = 32u << 10;
// A browser opens spare connections, some of which stay silent.
constexpr Duration head_patience = std::chrono::seconds(20);

std::vector<asio::ip::address> addresses_of(const std::string& host)
{
    boost::system::error_code not_numeric;
    const auto address = asio::ip::make_address(host, not_numeric);
    if (!not_numeric) {
        return {address};
    }
    return {asio::ip::address_v4::loopback(), asio::ip::address_v6::loopback()};
}

// Reads up to the blank line; "" if it does not come.
asio::awaitable<std::string> read_head(tcp::socket& socket)
{
    std::string head;
    std::array<char, 2048> piece{};
    while (head.find("\r\n\r\n") == std::string::npos) {
        boost::system::error_code failed;
        const auto size =
            co_await socket.async_read_some(asio::buffer(piece), asio::redirect_error(asio::use_awaitable, failed));
        if (failed || head.size() + size > max_head) {
            co_return "";
        }
        head.append(piece.data(), size);
    }
    co_return head;
}

}  // namespace

Error late_return(Duration patience, std::string_view advice)
{
    return Error(ErrorKind::timeout, fmt::format("the browser did not return within {}; start again{}",
                                                 describe_duration(patience), advice));
}

RedirectListener::RedirectListener(std::string path, Clock& clock)
    : path_(std::move(path)), clock_(clock), connections_(loop_.get_executor())
{
}

Result<std::unique_ptr<RedirectListener>> RedirectListener::open(const http::Url& redirect, Clock& clock)
{
    std::unique_ptr<RedirectListener> listener(new RedirectListener(redirect.path, clock));
    std::optional<Error> trouble;
    for (const auto& address : addresses_of(redirect.origin.host)) {
        auto done = listener->listen({address, redirect.origin.port});
        if (!done && !trouble) {
            trouble = std::move(done.error());
        }
    }
    // A machine without IPv6 still has a localhost; but if one address is taken, another program uses the port.
    if (listener->acceptors_.empty() || (trouble && trouble->kind() == ErrorKind::busy)) {
        return std::move(*trouble);
    }
    return listener;
}

Result<void> RedirectListener::listen(const tcp::endpoint& endpoint)
{
    boost::system::error_code failed;
    tcp::acceptor acceptor(loop_);
    acceptor.open(endpoint.protocol(), failed);
    if (!failed) {
        acceptor.set_option(tcp::acceptor::reuse_address(true));
        acceptor.bind(endpoint, failed);
    }
    if (!failed) {
        acceptor.listen(asio::socket_base::max_listen_connections, failed);
    }
    if (failed) {
        const auto kind = failed == asio::error::address_in_use ? ErrorKind::busy : ErrorKind::permission;
        return Error(kind,
                     fmt::format("cannot listen on port {} of redirect_uri: {}", endpoint.port(), failed.message()));
    }
    acceptors_.push_back(std::move(acceptor));
    return {};
}

Result<Secret> RedirectListener::wait(const Authorization& authorization, Duration patience)
{
    auto ended = [](const std::exception_ptr& error) {
        if (error) {
            std::rethrow_exception(error);
        }
    };
    auto life = live(authorization, patience);
    asio::co_spawn(loop_, std::move(life), std::move(ended));
    // A signal wakes the loop, but is no event for it.
    while (!loop_.stopped() && !was_interrupted()) {
        loop_.run_for(std::chrono::milliseconds(100));
    }
    if (was_interrupted() && !outcome_) {
        outcome_ = Error(ErrorKind::stopped, "interrupted");
        answered_.notify_all();
    }
    loop_.run();
    if (!outcome_) {
        return late_return(patience, ", and if the browser runs on another machine, use --paste");
    }
    return std::move(*outcome_);
}

asio::awaitable<void> RedirectListener::live(const Authorization& authorization, Duration patience)
{
    for (auto& acceptor : acceptors_) {
        connections_.spawn(accept_from(acceptor, authorization));
    }
    auto waiting = until_answered();
    [[maybe_unused]] const auto in_time = co_await with_deadline(clock_, std::move(waiting), patience);
    connections_.cancel();
    co_await connections_.join();  // rethrows an exception of a connection
}

asio::awaitable<bool> RedirectListener::until_answered()
{
    while (!outcome_) {
        co_await answered_.wait();
    }
    co_return true;
}

asio::awaitable<void> RedirectListener::accept_from(tcp::acceptor& acceptor, const Authorization& authorization)
{
    for (;;) {
        boost::system::error_code failed;
        auto socket = co_await acceptor.async_accept(asio::redirect_error(asio::use_awaitable, failed));
        if (!failed) {
            connections_.spawn(serve(std::move(socket), authorization));
        } else if (failed != asio::error::connection_aborted) {
            // Out of descriptors: some will be released. Cancellation ends the sleep.
            co_await clock_.sleep_for(std::chrono::seconds(1));
        }
    }
}

asio::awaitable<void> RedirectListener::serve(Socket socket, const Authorization& authorization)
{
    auto reading = read_head(socket);
    auto head = co_await with_deadline(clock_, std::move(reading), head_patience);
    if (!head || head->empty()) {
        co_return;
    }
    auto answer = answer_redirect(*head, path_, authorization);
    Secret::wipe(*head);
    const auto response = asio::buffer(answer.response);
    boost::system::error_code gone;
    co_await asio::async_write(socket, response, asio::redirect_error(asio::use_awaitable, gone));
    socket.shutdown(tcp::socket::shutdown_send, gone);
    if (answer.outcome && !outcome_) {
        outcome_ = std::move(answer.outcome);
        answered_.notify_all();
    }
}

}  // namespace shelfd::ctl

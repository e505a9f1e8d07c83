// Receives the redirect that ends a login, if redirect_uri is an address of this machine.
#pragma once

#include "ctl/login/authorization.hpp"
#include "http/url.hpp"
#include "runtime/async/async_event.hpp"
#include "runtime/async/clock.hpp"
#include "runtime/async/task_group.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::ctl {

// Nobody came back in time. `advice` follows the sentence.
Error late_return(Duration patience, std::string_view advice);

// Listens from `open` on, so that the browser cannot be too early. Uses a loop of its own; every call blocks.
class RedirectListener {
public:
    // Listens on the loopback address and port of `redirect`; for localhost in both families. Errors: busy, if another
    // program has the port; permission.
    static Result<std::unique_ptr<RedirectListener>> open(const http::Url& redirect, Clock& clock);

    // Answers requests until one has what `authorization` expects: the code or the service's error. Errors also:
    // timeout.
    Result<Secret> wait(const Authorization& authorization, Duration patience);

private:
    using Socket = asio::ip::tcp::socket;

    RedirectListener(std::string path, Clock& clock);
    Result<void> listen(const asio::ip::tcp::endpoint& endpoint);
    asio::awaitable<void> live(const Authorization& authorization, Duration patience);
    asio::awaitable<bool> until_answered();
    asio::awaitable<void> accept_from(asio::ip::tcp::acceptor& acceptor, const Authorization& authorization);
    asio::awaitable<void> serve(Socket socket, const Authorization& authorization);

    std::string path_;
    Clock& clock_;
    asio::io_context loop_{1};
    std::vector<asio::ip::tcp::acceptor> acceptors_;
    AsyncEvent answered_;
    TaskGroup connections_;
    std::optional<Result<Secret>> outcome_;
};

}  // namespace shelfd::ctl

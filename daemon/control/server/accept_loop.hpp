// Accepting connections until the server stops.
#pragma once

#include "control/server/wire.hpp"
#include "runtime/async/clock.hpp"
#include "runtime/log/log.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/core.h>

#include <functional>
#include <utility>

namespace shelfd::control {

// Calls `admit` with each connection. Ends without a throw when it is cancelled: only the waiting is cancelled, and
// work follows. `name` begins the log line of a failure. `acceptor`, `clock` and `log` must outlive it.
template <typename Acceptor>
asio::awaitable<void> accept_all(Acceptor& acceptor, Clock& clock, Log& log, const char* name,
                                 std::function<void(typename Acceptor::protocol_type::socket)> admit)
{
    co_await asio::this_coro::throw_if_cancelled(false);
    const auto state = co_await asio::this_coro::cancellation_state;
    while (state.cancelled() == asio::cancellation_type::none) {
        auto [failed, socket] = co_await acceptor.async_accept(asio::as_tuple(asio::use_awaitable));
        if (!failed) {
            admit(std::move(socket));
        } else if (failed != asio::error::operation_aborted && failed != asio::error::connection_aborted) {
            log.warning(fmt::format("{}: cannot accept a connection: {}", name, failed.message()));
            auto pause = clock.sleep_for(std::chrono::seconds(1));  // out of descriptors: some will be released
            co_await std::move(pause);
        }
    }
}

}  // namespace shelfd::control

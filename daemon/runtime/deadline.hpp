// An upper bound for a wait: the operation, or nothing when the time is over first.
#pragma once

#include "runtime/clock.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <optional>

namespace shelfd {

// Cancels and unwinds `operation` when `limit` passes first. (asio::cancel_after is newer than Boost 1.81.)
template <typename T>
asio::awaitable<std::optional<T>> with_deadline(Clock& clock, asio::awaitable<T> operation, Duration limit)
{
    using namespace asio::experimental::awaitable_operators;
    auto sleep = clock.sleep_for(limit);
    auto outcome = co_await (std::move(operation) || std::move(sleep));
    if (outcome.index() == 0) {
        co_return std::optional<T>(std::move(std::get<0>(outcome)));
    }
    co_return std::nullopt;
}

}  // namespace shelfd

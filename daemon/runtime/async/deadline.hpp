// A time limit for an await: the result of the operation, or an empty optional when the limit passes first.
#pragma once

#include "runtime/async/caught.hpp"
#include "runtime/async/clock.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <optional>

namespace shelfd {

// Cancels and unwinds `operation` when `limit` passes first. Rethrows what `operation` throws. (asio::cancel_after
// needs a Boost newer than 1.81.)
template <typename T>
asio::awaitable<std::optional<T>> with_deadline(Clock& clock, asio::awaitable<T> operation, Duration limit)
{
    using namespace asio::experimental::awaitable_operators;
    auto sleep = clock.sleep_for(limit);
    auto working = caught(std::move(operation));
    auto outcome = co_await (std::move(working) || std::move(sleep));
    if (outcome.index() == 0) {
        co_return std::optional<T>(std::get<0>(outcome).take());
    }
    co_return std::nullopt;
}

}  // namespace shelfd

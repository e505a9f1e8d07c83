// Turns what an operation throws into a value. `||` of two awaits returns the first branch that does not throw: without
// this, it would wait for the other branch and drop the exception.
#pragma once

#include "runtime/async/task_group.hpp"

#include <exception>
#include <optional>
#include <utility>

namespace shelfd {

template <typename T>
struct Caught {
    std::optional<T> value;
    std::exception_ptr error;

    // Returns the value, or rethrows what the operation threw.
    T take()
    {
        if (error) {
            std::rethrow_exception(error);
        }
        return std::move(*value);
    }
};

// Cancellation is not caught: it still unwinds.
template <typename T>
asio::awaitable<Caught<T>> caught(asio::awaitable<T> operation)
{
    Caught<T> outcome;
    try {
        outcome.value.emplace(co_await std::move(operation));
    } catch (...) {
        outcome.error = std::current_exception();
    }
    if (outcome.error && is_cancellation(outcome.error)) {
        std::rethrow_exception(outcome.error);
    }
    co_return std::move(outcome);
}

}  // namespace shelfd

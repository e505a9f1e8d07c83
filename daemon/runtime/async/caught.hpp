// What an operation throws as a value. `||` of two awaits goes to the first that does not throw: a branch that failed
// would be waited out by the other one, and forgotten.
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

    // The value, or throws what the operation threw.
    T take()
    {
        if (error) {
            std::rethrow_exception(error);
        }
        return std::move(*value);
    }
};

// Cancellation still unwinds.
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

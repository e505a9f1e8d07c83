// What a connection asks: the meaning of its requests.
#pragma once

#include "base/result.hpp"
#include "control/api/call.hpp"

#include <boost/asio/awaitable.hpp>

#include <exception>

namespace shelfd::control {

// Loop only. Must outlive all coroutines and streams that it returns.
class Answerer {
public:
    virtual ~Answerer() = default;

    virtual asio::awaitable<Reply> answer(Call call) const = 0;
    // The error that a client gets when a request or stream throws, which is a bug; logs it. Rethrows a cancellation.
    virtual Error bug(const std::exception_ptr& thrown) const = 0;
};

}  // namespace shelfd::control

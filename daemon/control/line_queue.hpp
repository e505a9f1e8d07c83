// Lines on their way to a client that may read slower than they are made.
#pragma once

#include "runtime/async_event.hpp"

#include <deque>
#include <functional>
#include <optional>
#include <string>

namespace shelfd::control {

enum class Importance {
    droppable,  // the next one replaces it
    kept,
};
using LineSink = std::function<void(std::string line, Importance importance)>;

// One writer of lines, one taker. Bounded: while the client lags, droppable lines are left out, never the others.
// Loop only.
class LineQueue {
public:
    explicit LineQueue(const asio::any_io_executor& executor) : changed_(executor) {}

    void push(std::string line, Importance importance)
    {
        constexpr std::size_t most = 64;
        if (importance == Importance::droppable && lines_.size() >= most) {
            return;
        }
        lines_.push_back(std::move(line));
        changed_.notify_all();
    }

    // Nothing comes any more.
    void close()
    {
        closed_ = true;
        changed_.notify_all();
    }

    // The oldest line; nothing when the queue is closed and empty.
    asio::awaitable<std::optional<std::string>> next()
    {
        while (lines_.empty() && !closed_) {
            co_await changed_.wait();
        }
        if (lines_.empty()) {
            co_return std::nullopt;
        }
        auto line = std::move(lines_.front());
        lines_.pop_front();
        co_return line;
    }

private:
    std::deque<std::string> lines_;
    bool closed_ = false;
    AsyncEvent changed_;
};

}  // namespace shelfd::control

// Lines for a client that may read more slowly than they are made.
#pragma once

#include "runtime/async/async_event.hpp"
#include "runtime/async/clock.hpp"

#include <deque>
#include <functional>
#include <optional>
#include <string>

namespace shelfd::control {

enum class Importance {
    droppable,  // progress: a later line replaces it
    kept,
};
using LineSink = std::function<void(std::string line, Importance importance)>;

// One writer, one reader. While the client lags, new droppable lines are dropped, never others, so the queue is bounded
// by the operation's kept lines: one for each requested table or row. A client that does not accept a line within the
// time limit of Wire is disconnected, and the queue ends. Loop only.
class LineQueue {
public:
    void push(std::string line, Importance importance)
    {
        constexpr std::size_t most = 64;  // waiting lines of both kinds
        if (importance == Importance::droppable && lines_.size() >= most) {
            return;
        }
        lines_.push_back(std::move(line));
        changed_.notify_all();
    }

    // No more lines will come.
    void close()
    {
        closed_ = true;
        changed_.notify_all();
    }

    // Waits for a line or the end, at most `most`.
    asio::awaitable<void> wait(Clock& clock, Duration most)
    {
        const auto end = clock.boot_now() + most;
        while (lines_.empty() && !closed_ && clock.boot_now() < end) {
            co_await clock.wait_until(end, changed_);
        }
    }

    // True if closed and empty.
    bool is_at_end() const { return closed_ && lines_.empty(); }
    // Returns the oldest line; empty if there is none.
    std::optional<std::string> take()
    {
        if (lines_.empty()) {
            return std::nullopt;
        }
        auto line = std::move(lines_.front());
        lines_.pop_front();
        return line;
    }

private:
    std::deque<std::string> lines_;
    bool closed_ = false;
    AsyncEvent changed_;
};

}  // namespace shelfd::control

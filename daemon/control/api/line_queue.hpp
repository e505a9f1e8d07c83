// Lines on their way to a client that may read slower than they are made.
#pragma once

#include "runtime/async/async_event.hpp"
#include "runtime/async/clock.hpp"

#include <deque>
#include <functional>
#include <optional>
#include <string>

namespace shelfd::control {

enum class Importance {
    droppable,  // says how far things are: a later one says it anew
    kept,
};
using LineSink = std::function<void(std::string line, Importance importance)>;

// One writer of lines, one taker. While the client lags, new droppable lines are left out, never the others. So what
// waits here is bounded by what the operation has to say: a line for each table or row that it was asked for. A client
// that does not take one line within the limit of Wire is gone, and the queue with it. Loop only.
class LineQueue {
public:
    void push(std::string line, Importance importance)
    {
        constexpr std::size_t most = 64;  // lines that wait, of either kind
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

    // Until there is a line, or the end; not longer than `most`.
    asio::awaitable<void> wait(Clock& clock, Duration most)
    {
        const auto end = clock.boot_now() + most;
        while (lines_.empty() && !closed_ && clock.boot_now() < end) {
            co_await clock.wait_until(end, changed_);
        }
    }

    // Closed, and every line was taken.
    bool is_at_end() const { return closed_ && lines_.empty(); }
    // The oldest line, if there is one.
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

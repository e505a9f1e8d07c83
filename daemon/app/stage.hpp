// The stage of the daemon's life, and whether a bug ends it.
#pragma once

#include "runtime/async/async_event.hpp"

namespace shelfd::app {

// Stages only advance. Loop only.
class Stage {
public:
    void serve() { advance(now_ == Now::opening ? Now::serving : now_); }
    void stop() { advance(Now::stopping); }
    // A task of the daemon itself ended with an exception.
    void fail()
    {
        has_failed_ = true;
        stop();
    }

    bool is_stopping() const { return now_ == Now::stopping; }
    bool has_failed() const { return has_failed_; }
    // Returns once `is_stopping`.
    asio::awaitable<void> until_stop()
    {
        while (!is_stopping()) {
            co_await advanced_.wait();
        }
    }
    // Returns true once it serves, false if it stops before.
    asio::awaitable<bool> until_serving()
    {
        while (now_ == Now::opening) {
            co_await advanced_.wait();
        }
        co_return now_ == Now::serving;
    }

private:
    enum class Now { opening, serving, stopping };

    void advance(Now to)
    {
        now_ = to;
        advanced_.notify_all();
    }

    Now now_ = Now::opening;
    bool has_failed_ = false;
    AsyncEvent advanced_;
};

}  // namespace shelfd::app

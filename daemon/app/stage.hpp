// The stage of the daemon's life, and whether a bug ends it.
#pragma once

#include "runtime/async/async_event.hpp"

namespace shelfd::app {

// Stages only advance. Loop only.
class Stage {
public:
    void serve() { now_ = now_ == Now::opening ? Now::serving : now_; }
    void stop()
    {
        now_ = Now::stopping;
        stop_asked_.notify_all();
    }
    // A task of the daemon itself ended with an exception.
    void fail()
    {
        has_failed_ = true;
        stop();
    }

    bool is_serving() const { return now_ == Now::serving; }
    bool is_stopping() const { return now_ == Now::stopping; }
    bool has_failed() const { return has_failed_; }
    // Returns once `is_stopping`.
    asio::awaitable<void> until_stop()
    {
        while (!is_stopping()) {
            co_await stop_asked_.wait();
        }
    }

private:
    enum class Now { opening, serving, stopping };

    Now now_ = Now::opening;
    bool has_failed_ = false;
    AsyncEvent stop_asked_;
};

}  // namespace shelfd::app

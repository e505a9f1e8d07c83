// A clock for verbs that follow something until Ctrl-C.
#pragma once

#include "runtime/async/clock.hpp"

#include <csignal>
#include <deque>
#include <functional>
#include <utility>

namespace shelfd::ctl {

// What happens while the verb sleeps: one step for each sleep. The last one is Ctrl-C.
class StepsWhileAsleep final : public Clock {
public:
    explicit StepsWhileAsleep(std::deque<std::function<void()>> steps) : steps_(std::move(steps)) {}
    Instant now() const override { return {}; }
    BootTime boot_now() const override { return {}; }
    asio::awaitable<void> sleep_until(BootTime) override
    {
        if (steps_.empty()) {
            std::raise(SIGINT);
        } else {
            steps_.front()();
            steps_.pop_front();
        }
        co_return;
    }

private:
    std::deque<std::function<void()>> steps_;
};

}  // namespace shelfd::ctl

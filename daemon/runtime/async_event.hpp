// Waiting for another coroutine of the same loop: a notification, and a mutex made of it.
#pragma once

#include "base/instant.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <utility>
#include <vector>

namespace shelfd {

namespace asio = boost::asio;

// `notify_all()` wakes everybody who waits now; it is not remembered. So: check the condition, then wait, in a loop.
// Outlives the coroutines that wait for it, those included that die with their loop. Loop only.
class AsyncEvent {
public:
    explicit AsyncEvent(const asio::any_io_executor& executor);
    AsyncEvent(const AsyncEvent&) = delete;
    AsyncEvent& operator=(const AsyncEvent&) = delete;

    void notify_all();
    asio::awaitable<void> wait();
    // False when nobody notified within `most`, by a clock that stands still while the machine is suspended.
    asio::awaitable<bool> wait_for(Duration most);

private:
    class Alarm;

    asio::steady_timer timer_;
    std::vector<Alarm*> alarms_;  // of those who wait for some time only
};

// At most one coroutine holds it. Not recursive, not fair by contract. Loop only.
class AsyncMutex {
public:
    class Guard {
    public:
        explicit Guard(AsyncMutex* mutex) : mutex_(mutex) {}
        Guard(Guard&& other) noexcept : mutex_(std::exchange(other.mutex_, nullptr)) {}
        Guard& operator=(Guard&&) = delete;
        ~Guard();

    private:
        AsyncMutex* mutex_;
    };

    explicit AsyncMutex(const asio::any_io_executor& executor) : released_(executor) {}
    asio::awaitable<Guard> lock();
    bool is_locked() const { return locked_; }

private:
    AsyncEvent released_;
    bool locked_ = false;
};

}  // namespace shelfd

// Waiting for another coroutine of the same loop: an event, and a mutex built on it.
#pragma once

#include "base/instant.hpp"
#include "runtime/async/boot_timer.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/intrusive/list.hpp>

#include <utility>

namespace shelfd {

namespace asio = boost::asio;

// `notify_all()` wakes all current waiters and is not remembered: check the condition, then wait, in a loop. Must
// outlive the coroutines that wait for it, including those destroyed with their loop. Loop only.
// Small, because each library has ten of them: the state of a wait is in the waiter's coroutine frame.
class AsyncEvent {
public:
    AsyncEvent() = default;
    AsyncEvent(const AsyncEvent&) = delete;
    AsyncEvent& operator=(const AsyncEvent&) = delete;

    void notify_all();
    asio::awaitable<void> wait();
    // Returns false when nobody notified before `at`.
    asio::awaitable<bool> wait_until(BootTime at);

private:
    // Unlinks itself when destroyed.
    using Hook = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
    struct Waiter : Hook {
        Waiter(const asio::any_io_executor& executor, BootClock::time_point at) : timer(executor, at) {}
        BootTimer timer;
        bool is_notified = false;
    };

    asio::awaitable<bool> wait_until(BootClock::time_point at);

    boost::intrusive::list<Waiter, boost::intrusive::constant_time_size<false>> waiters_;
};

// At most one coroutine holds it. Not recursive; fairness is not guaranteed. Loop only.
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

    asio::awaitable<Guard> lock();

private:
    AsyncEvent released_;
    bool locked_ = false;
};

}  // namespace shelfd

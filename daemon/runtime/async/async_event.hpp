// Waiting for another coroutine of the same loop: a notification, and a mutex made of it.
#pragma once

#include "base/instant.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>

#include <optional>
#include <utility>

namespace shelfd {

namespace asio = boost::asio;

// `notify_all()` wakes everybody who waits now; it is not remembered. So: check the condition, then wait, in a loop.
// Outlives the coroutines that wait for it, those included that die with their loop. Loop only.
// Small, for there are ten for each library: what a wait needs is in the frame of who waits.
class AsyncEvent {
public:
    AsyncEvent() = default;
    AsyncEvent(const AsyncEvent&) = delete;
    AsyncEvent& operator=(const AsyncEvent&) = delete;

    void notify_all();
    asio::awaitable<void> wait();
    // False when nobody notified within `most`, by a clock that stands still while the machine is suspended.
    asio::awaitable<bool> wait_for(Duration most);

private:
    // Leaves the list by itself when it dies.
    using Hook = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
    struct Waiter : Hook {
        explicit Waiter(const asio::any_io_executor& executor) : timer(executor, asio::steady_timer::time_point::max())
        {
        }
        asio::steady_timer timer;
        bool is_notified = false;
    };

    asio::awaitable<bool> wait_at_most(std::optional<Duration> most);

    boost::intrusive::list<Waiter, boost::intrusive::constant_time_size<false>> waiters_;
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

    asio::awaitable<Guard> lock();

private:
    AsyncEvent released_;
    bool locked_ = false;
};

}  // namespace shelfd

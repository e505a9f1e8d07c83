#include "runtime/async/async_event.hpp"

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

namespace shelfd {

void AsyncEvent::notify_all()
{
    for (auto& waiter : waiters_) {
        waiter.is_notified = true;
        waiter.timer.cancel();
    }
}

// Notification and cancellation both end the timer's wait; only cancellation is passed on.
asio::awaitable<bool> AsyncEvent::wait_until(BootClock::time_point at)
{
    Waiter waiter(co_await asio::this_coro::executor, at);
    waiters_.push_back(waiter);
    boost::system::error_code woken;
    co_await waiter.timer.async_wait(asio::redirect_error(asio::use_awaitable, woken));
    const auto state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none) {
        throw boost::system::system_error(asio::error::operation_aborted);
    }
    co_return waiter.is_notified;
}

asio::awaitable<void> AsyncEvent::wait()
{
    co_await wait_until(BootClock::time_point::max());
}

asio::awaitable<bool> AsyncEvent::wait_until(BootTime at)
{
    return wait_until(BootClock::time_point(Duration(at.micros())));
}

AsyncMutex::Guard::~Guard()
{
    if (mutex_ != nullptr) {
        mutex_->locked_ = false;
        mutex_->released_.notify_all();
    }
}

asio::awaitable<AsyncMutex::Guard> AsyncMutex::lock()
{
    while (locked_) {
        co_await released_.wait();
    }
    locked_ = true;
    co_return Guard(this);
}

}  // namespace shelfd

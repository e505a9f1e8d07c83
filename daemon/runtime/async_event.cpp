#include "runtime/async_event.hpp"

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

namespace shelfd {

AsyncEvent::AsyncEvent(const asio::any_io_executor& executor) : timer_(executor, asio::steady_timer::time_point::max())
{
}

asio::awaitable<void> AsyncEvent::wait()
{
    boost::system::error_code woken;
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
    // A notification and a cancellation end the wait alike; only the latter is passed on.
    const auto state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none) {
        throw boost::system::system_error(asio::error::operation_aborted);
    }
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

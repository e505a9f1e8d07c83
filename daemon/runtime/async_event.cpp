#include "runtime/async_event.hpp"

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

namespace shelfd {

// The timer of one who waits, known to the event as long as it lives.
class AsyncEvent::Alarm {
public:
    Alarm(AsyncEvent& event, Duration most) : event_(event), timer_(event.timer_.get_executor(), most)
    {
        event_.alarms_.push_back(this);
    }
    Alarm(const Alarm&) = delete;
    Alarm& operator=(const Alarm&) = delete;
    ~Alarm() { std::erase(event_.alarms_, this); }

    void notify()
    {
        is_notified_ = true;
        timer_.cancel();
    }
    bool is_notified() const { return is_notified_; }
    asio::steady_timer& timer() { return timer_; }

private:
    AsyncEvent& event_;
    asio::steady_timer timer_;
    bool is_notified_ = false;
};

namespace {

// A notification and a cancellation end the wait alike; only the latter is passed on.
asio::awaitable<void> wait_on(asio::steady_timer& timer)
{
    boost::system::error_code woken;
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, woken));
    const auto state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none) {
        throw boost::system::system_error(asio::error::operation_aborted);
    }
}

}  // namespace

AsyncEvent::AsyncEvent(const asio::any_io_executor& executor) : timer_(executor, asio::steady_timer::time_point::max())
{
}

void AsyncEvent::notify_all()
{
    timer_.cancel();
    for (auto* alarm : alarms_) {
        alarm->notify();
    }
}

asio::awaitable<void> AsyncEvent::wait()
{
    return wait_on(timer_);
}

asio::awaitable<bool> AsyncEvent::wait_for(Duration most)
{
    Alarm alarm(*this, most);
    co_await wait_on(alarm.timer());
    co_return alarm.is_notified();
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

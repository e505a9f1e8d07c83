#include "runtime/async/clock.hpp"

#include "runtime/async/boot_timer.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <ctime>

namespace shelfd {

asio::awaitable<void> Clock::wait_until(BootTime at, AsyncEvent& event)
{
    using namespace asio::experimental::awaitable_operators;
    auto sleep = sleep_until(at);
    auto notified = event.wait();
    co_await (std::move(sleep) || std::move(notified));
}

Instant SystemClock::now() const
{
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return Instant::from_micros(static_cast<std::int64_t>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1'000);
}

BootTime SystemClock::boot_now() const
{
    return BootTime::from_micros(BootClock::now().time_since_epoch().count());
}

asio::awaitable<void> SystemClock::sleep_until(BootTime at)
{
    if (boot_now() < at) {
        BootTimer timer(co_await asio::this_coro::executor, BootClock::time_point(Duration(at.micros())));
        co_await timer.async_wait(asio::use_awaitable);
    }
}

asio::awaitable<void> SystemClock::wait_until(BootTime at, AsyncEvent& event)
{
    if (boot_now() < at) {
        co_await event.wait_until(at);
    }
}

}  // namespace shelfd

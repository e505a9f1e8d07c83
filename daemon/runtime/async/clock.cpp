#include "runtime/async/clock.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <ctime>

namespace shelfd {
namespace {

// Longest sleep before the boot-time clock is checked again.
constexpr Duration max_slice = std::chrono::minutes(5);

std::int64_t read_micros(clockid_t id)
{
    timespec now{};
    clock_gettime(id, &now);
    return static_cast<std::int64_t>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1'000;
}

}  // namespace

asio::awaitable<void> Clock::wait_until(BootTime at, AsyncEvent& event)
{
    using namespace asio::experimental::awaitable_operators;
    auto sleep = sleep_until(at);
    auto notified = event.wait();
    co_await (std::move(sleep) || std::move(notified));
}

Instant SystemClock::now() const
{
    return Instant::from_micros(read_micros(CLOCK_REALTIME));
}

BootTime SystemClock::boot_now() const
{
    return BootTime::from_micros(read_micros(CLOCK_BOOTTIME));
}

asio::awaitable<void> SystemClock::sleep_until(BootTime at)
{
    asio::steady_timer timer(co_await asio::this_coro::executor);
    for (auto left = at - boot_now(); left > Duration(0); left = at - boot_now()) {
        timer.expires_after(std::min(left, max_slice));
        co_await timer.async_wait(asio::use_awaitable);
    }
}

asio::awaitable<void> SystemClock::wait_until(BootTime at, AsyncEvent& event)
{
    for (auto left = at - boot_now(); left > Duration(0); left = at - boot_now()) {
        if (co_await event.wait_for(std::min(left, max_slice))) {
            co_return;
        }
    }
}

}  // namespace shelfd

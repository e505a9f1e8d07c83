#include "runtime/clock.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <ctime>

namespace shelfd {
namespace {

std::int64_t read_micros(clockid_t id)
{
    timespec now{};
    clock_gettime(id, &now);
    return static_cast<std::int64_t>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1'000;
}

}  // namespace

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
        timer.expires_after(std::min<Duration>(left, std::chrono::minutes(5)));
        co_await timer.async_wait(asio::use_awaitable);
    }
}

}  // namespace shelfd

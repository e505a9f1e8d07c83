// The only way to read time and to sleep, so that tests can replace it and let days pass in milliseconds.
#pragma once

#include "base/instant.hpp"
#include "runtime/async/async_event.hpp"

#include <boost/asio/awaitable.hpp>

namespace shelfd {

namespace asio = boost::asio;

// Loop only, except `now` and `boot_now`, which any thread may call.
class Clock {
public:
    virtual ~Clock() = default;

    virtual Instant now() const = 0;
    virtual BootTime boot_now() const = 0;

    // Returns at or after `at`; immediately if `at` has passed. Throws on cancellation, as every await does.
    virtual asio::awaitable<void> sleep_until(BootTime at) = 0;
    // Returns when `event` is notified or at `at`, whichever comes first. As with every event, check the condition
    // again.
    virtual asio::awaitable<void> wait_until(BootTime at, AsyncEvent& event);

    asio::awaitable<void> sleep_for(Duration duration) { return sleep_until(boot_now() + duration); }
};

// CLOCK_REALTIME and CLOCK_BOOTTIME. A sleep that a suspended machine overslept ends within five minutes (BootTimer).
class SystemClock final : public Clock {
public:
    Instant now() const override;
    BootTime boot_now() const override;
    asio::awaitable<void> sleep_until(BootTime at) override;
    // Uses one timer. A sleep beside a wait would take two more coroutines for each poll and each idle library.
    asio::awaitable<void> wait_until(BootTime at, AsyncEvent& event) override;
};

}  // namespace shelfd

// The only way to read time and to sleep: a seam, so that in a test days pass in milliseconds.
#pragma once

#include "base/instant.hpp"
#include "runtime/async/async_event.hpp"

#include <boost/asio/awaitable.hpp>

namespace shelfd {

namespace asio = boost::asio;

// Used from the loop only, but for `now` and `boot_now`, which any thread may call.
class Clock {
public:
    virtual ~Clock() = default;

    virtual Instant now() const = 0;
    virtual BootTime boot_now() const = 0;

    // Returns at or after `at`; at once when that has passed. Throws on cancellation, as every await does.
    virtual asio::awaitable<void> sleep_until(BootTime at) = 0;
    // Returns when somebody notifies, or as a sleep does: whichever comes first. As with every event, look again.
    virtual asio::awaitable<void> wait_until(BootTime at, AsyncEvent& event);

    asio::awaitable<void> sleep_for(Duration duration) { return sleep_until(boot_now() + duration); }
};

// CLOCK_REALTIME and CLOCK_BOOTTIME. Asio's timers run on CLOCK_MONOTONIC, which stands still while the machine
// is suspended; so a sleep looks at the boot-time clock again every five minutes, and ends that late at most.
class SystemClock final : public Clock {
public:
    Instant now() const override;
    BootTime boot_now() const override;
    asio::awaitable<void> sleep_until(BootTime at) override;
    // One timer; a sleep beside a wait is two coroutines more, and each poll and each idle library has some of them.
    asio::awaitable<void> wait_until(BootTime at, AsyncEvent& event) override;
};

}  // namespace shelfd

// What systemd is told: READY, RELOADING, STOPPING, STATUS, WATCHDOG, EXTEND_TIMEOUT_USEC (sd_notify(3)).
#pragma once

#include "runtime/async/clock.hpp"

#include <optional>
#include <string>
#include <utility>

namespace shelfd {

// Every call is a datagram to its socket, and none waits: when it has stopped reading, steps of our life go with the
// next message, and the rest is dropped. Loop only.
class ServiceManager {
public:
    // $NOTIFY_SOCKET; "" = there is no service manager.
    explicit ServiceManager(std::string socket) : socket_(std::move(socket)) {}

    void ready(const std::string& status);
    // Followed by ready() when the reload has ended, either way (systemd 252 wants MONOTONIC_USEC not yet, 253 does).
    void reloading();
    void stopping();
    // One sentence for `systemctl status`; sent only when it changed.
    void status(const std::string& text);
    // Asks for `extra` more time to start or stop, counted from now.
    void extend_timeout(Duration extra);
    // Runs `work` to its end, asking for more time again and again as long as it takes.
    asio::awaitable<void> extend_while(Clock& clock, asio::awaitable<void> work);
    void feed_watchdog();

    // Half of WatchdogSec=, or nothing when the unit has none for this process.
    std::optional<Duration> watchdog_interval() const;

    // Feeds the watchdog from the loop for ever: a loop that is stuck is a daemon that is dead.
    asio::awaitable<void> keep_watchdog_fed(Clock& clock);

private:
    // False when there was no room for it; what is unsent goes before it.
    bool notify(const std::string& state);
    void insist(const std::string& state);

    std::string socket_;
    std::string last_status_;
    std::string unsent_;  // whole lines
};

}  // namespace shelfd

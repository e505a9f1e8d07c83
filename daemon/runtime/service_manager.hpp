// Messages to systemd: READY, RELOADING, STOPPING, STATUS, WATCHDOG, EXTEND_TIMEOUT_USEC (sd_notify(3)).
#pragma once

#include "runtime/async/clock.hpp"

#include <optional>
#include <string>
#include <utility>

namespace shelfd {

// Every call sends a datagram to the service manager's socket, and none blocks. When its buffer is full, messages about
// our state (ready, reloading, stopping) are sent with the next message; others are dropped. Loop only.
class ServiceManager {
public:
    // $NOTIFY_SOCKET; "" = no service manager.
    explicit ServiceManager(std::string socket) : socket_(std::move(socket)) {}

    void ready(const std::string& status);
    // Call ready() when the reload has ended, whether it succeeded or not. MONOTONIC_USEC is needed since systemd 253,
    // not in 252.
    void reloading();
    void stopping();
    // One sentence for `systemctl status`; sent only when it has changed.
    void status(const std::string& text);
    // Asks for `extra` more time to start or stop, counted from now.
    void extend_timeout(Duration extra);
    // Runs `work` to its end and asks for more time repeatedly until then.
    asio::awaitable<void> extend_while(Clock& clock, asio::awaitable<void> work);
    void feed_watchdog();

    // Half of WatchdogSec=, or empty if the unit sets no watchdog for this process.
    std::optional<Duration> watchdog_interval() const;

    // Notifies the watchdog from the loop until cancelled: when the loop hangs, systemd restarts the daemon.
    asio::awaitable<void> keep_watchdog_fed(Clock& clock);

private:
    // Returns false when there was no room. Sends what is unsent first.
    bool notify(const std::string& state);
    void insist(const std::string& state);

    std::string socket_;
    std::string last_status_;
    std::string unsent_;  // complete lines
};

}  // namespace shelfd

// Asio's timer on CLOCK_BOOTTIME, which goes on while the machine is suspended.
#pragma once

#include "base/instant.hpp"

#include <boost/asio/basic_waitable_timer.hpp>

#include <chrono>

namespace shelfd {

// What Asio asks of the clock of a timer. Any thread.
struct BootClock {
    using duration = Duration;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<BootClock>;
    static constexpr bool is_steady = true;

    static time_point now();
};

// Asio's reactor asks the clock at least every five minutes, whatever it waits for: a timer that a suspended machine
// overslept expires at most that late. One look serves all timers.
using BootTimer = boost::asio::basic_waitable_timer<BootClock>;

}  // namespace shelfd

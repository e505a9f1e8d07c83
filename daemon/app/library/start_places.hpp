// How many libraries make their first passes at the same time.
#pragma once

#include "runtime/async/async_event.hpp"
#include "runtime/async/clock.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>

namespace shelfd::app {

// A thousand libraries that begin at once have as many mirrors open (measured: 250 KiB each). Each of them waits for a
// place, which is free again as soon as its first passes are over, or where these take long, for the service or for the
// limit, after a second. One object a daemon; outlives all who begin. Loop only.
class StartPlaces {
public:
    static constexpr std::size_t max_at_once = 32;
    static constexpr Duration longest = std::chrono::seconds(1);

    explicit StartPlaces(Clock& clock) : clock_(clock) {}

    // Calls `begin` in its turn. `is_over` is asked whenever `changed` is notified. Cancelled, it gives its place back.
    asio::awaitable<void> run(std::function<void()> begin, std::function<bool()> is_over, AsyncEvent& changed);

    std::size_t taken() const { return taken_; }

private:
    class Place;

    Clock& clock_;
    std::size_t taken_ = 0;
    AsyncEvent freed_;
};

}  // namespace shelfd::app

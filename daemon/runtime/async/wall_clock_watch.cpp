#include "runtime/async/wall_clock_watch.hpp"

#include <chrono>
#include <utility>

namespace shelfd {
namespace {

constexpr Duration between_looks = std::chrono::minutes(1);
constexpr Duration least_step = std::chrono::seconds(1);

// How far the wall clock is ahead of the boot clock.
Duration lead_of(const Clock& clock)
{
    return (clock.now() - Instant()) - (clock.boot_now() - BootTime());
}

}  // namespace

asio::awaitable<void> watch_wall_clock(Clock& clock, std::function<void()> was_set)
{
    for (auto lead = lead_of(clock);;) {
        co_await clock.sleep_for(between_looks);
        const auto before = std::exchange(lead, lead_of(clock));
        if (lead >= before + least_step || lead <= before - least_step) {
            was_set();
        }
    }
}

}  // namespace shelfd

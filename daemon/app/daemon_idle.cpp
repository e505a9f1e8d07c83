// What the daemon does when there is little to do: it becomes small.
#include "app/daemon.hpp"

#include <algorithm>
#include <malloc.h>
#include <utility>

namespace shelfd::app {

// Mirrors that something else than a pass has opened are put to rest. What closed ones leave between the memory that is
// in use stays with malloc unless it is asked to give it back (measured: 55 of 102 MiB with 300 libraries), and what a
// worker held for itself once it is gone. Not while an answer to a refresh may come: it finds room in the heap.
asio::awaitable<void> Daemon::tend_idle_libraries()
{
    auto lane = workers_.lane();
    bool workers_were_there = false;
    for (auto before = parts_->handles->closed();;) {
        co_await clock_.sleep_for(std::chrono::minutes(1));
        const auto& units = libraries_->units();
        for (const auto& unit : units) {
            unit->let_mirror_rest();
        }
        for (const auto& [group, limiter] : parts_->limiters) {
            limiter->tidy();
        }
        const bool is_exchanging = std::any_of(units.begin(), units.end(),
                                               [](const auto& unit) { return unit->keeper().exchange_in_flight(); });
        if (is_exchanging) {
            continue;
        }
        const auto closed = parts_->handles->closed();
        const bool has_closed = std::exchange(before, closed) != closed;
        const bool are_there = workers_.threads() + token_workers_.threads() + secret_workers_.threads() > 0;
        const bool have_gone = workers_were_there && !are_there;
        workers_were_there = are_there || has_closed;
        if (has_closed || have_gone) {
            auto trim = [] { return malloc_trim(0); };
            co_await lane.run(trim);
        }
    }
}

}  // namespace shelfd::app

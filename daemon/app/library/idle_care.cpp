#include "app/library/idle_care.hpp"

#include <algorithm>
#include <malloc.h>
#include <utility>

namespace shelfd::app {

// Closes mirrors that something other than a pass has opened. malloc keeps the memory of closed mirrors that lies
// between used memory, and that of ended threads, until malloc_trim (measured: 55 of 102 MiB with 300 libraries). Not
// while an answer to a refresh may arrive, which then finds free heap.
asio::awaitable<void> tend_idle_libraries(DaemonServices& services, const LibrarySet& libraries)
{
    const auto& workers = services.workers;
    auto lane = workers.mirrors.lane();
    bool workers_were_there = false;
    for (auto before = services.handles->closed();;) {
        co_await services.clock.sleep_for(std::chrono::minutes(1));
        const auto& units = libraries.units();
        for (const auto& unit : units) {
            unit->let_mirror_rest();
        }
        for (const auto& [group, limiter] : services.limiters.by_group()) {
            limiter->tidy();
        }
        const bool is_exchanging = std::any_of(units.begin(), units.end(),
                                               [](const auto& unit) { return unit->keeper().exchange_in_flight(); });
        if (is_exchanging) {
            continue;
        }
        const auto closed = services.handles->closed();
        const bool has_closed = std::exchange(before, closed) != closed;
        const bool are_there = workers.mirrors.threads() + workers.tokens.threads() + workers.secrets.threads() > 0;
        const bool have_gone = workers_were_there && !are_there;
        workers_were_there = are_there || has_closed;
        if (has_closed || have_gone) {
            auto trim = [] { return malloc_trim(0); };
            co_await lane.run(trim);
        }
    }
}

}  // namespace shelfd::app

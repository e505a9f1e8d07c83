#include "app/library/idle_care.hpp"

#include "app/host/code_pages.hpp"

#include <malloc.h>
#include <utility>

namespace shelfd::app {

// Closes mirrors that something other than a pass has opened. malloc keeps the memory of closed mirrors that lies
// between used memory, and that of ended threads, until malloc_trim (measured: 55 of 102 MiB with 300 libraries). The
// code that passes have used is given back with it. Not while an answer to a refresh may arrive, which then finds free
// heap.
asio::awaitable<void> tend_idle_libraries(DaemonServices& services, const LibrarySet& libraries)
{
    const auto& workers = services.workers;
    auto lane = workers.mirrors.lane();
    bool workers_were_there = false;
    for (auto before = services.handles->closed();;) {
        co_await services.clock.sleep_for(std::chrono::minutes(1));
        bool is_exchanging = false;
        libraries.for_each("the care of the idle library", [&is_exchanging](LibraryUnit& unit) {
            unit.let_mirror_rest();
            unit.limiter().tidy();
            is_exchanging = is_exchanging || unit.keeper().exchange_in_flight();
        });
        if (is_exchanging) {
            continue;
        }
        const auto closed = services.handles->closed();
        const bool has_closed = std::exchange(before, closed) != closed;
        const bool are_there = workers.mirrors.threads() + workers.tokens.threads() + workers.secrets.threads() > 0;
        const bool have_gone = workers_were_there && !are_there;
        workers_were_there = are_there || has_closed;
        if (has_closed || have_gone) {
            auto trim = [] {
                malloc_trim(0);
                release_code_pages();
            };
            co_await lane.run(trim);
        }
    }
}

}  // namespace shelfd::app

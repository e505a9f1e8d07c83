#include "app/idle_care.hpp"

#include "app/host/code_pages.hpp"

#include <malloc.h>
#include <utility>

namespace shelfd::app {
namespace {

constexpr Duration between_looks = std::chrono::seconds(15);
constexpr int looks_a_minute = 4;
constexpr int looks_in_ten_minutes = 10 * looks_a_minute;

bool has_workers(const DaemonServices& services)
{
    const auto& workers = services.workers;
    return workers.mirrors.threads() + workers.tokens.threads() + workers.secrets.threads() > 0;
}

// Not while an answer to a refresh may arrive, which then finds free heap.
bool is_exchanging(const LibrarySet& libraries)
{
    bool any = false;
    libraries.for_each("the care of the idle library",
                       [&any](const LibraryUnit& unit) { any = any || unit.keeper().exchange_in_flight(); });
    return any;
}

}  // namespace

// Closes mirrors that something other than a pass has opened. malloc keeps the memory of closed mirrors that lies
// between used memory, and that of ended threads, until malloc_trim (measured: 55 of 102 MiB with 300 libraries). The
// code that passes have used is given back with it. This is done when no mirror was closed for a while, or each minute
// while some are, and once more when the threads that worked for them have ended.
asio::awaitable<void> tend_idle_libraries(DaemonServices& services, const LibrarySet& libraries)
{
    auto lane = services.workers.mirrors.lane();
    auto closed_at_trim = services.handles->closed();
    auto closed_at_look = closed_at_trim;
    auto closed_at_minute = closed_at_trim;
    bool was_used_before = false;
    bool threads_may_end = false;
    for (int looks = 1;; ++looks) {
        co_await services.clock.sleep_for(between_looks);
        const bool is_minute = looks % looks_a_minute == 0;
        const bool was_used = services.handles->open() > 0 || services.handles->closed() != closed_at_minute;
        // Once more in the minute after that, when the requests can be forgotten, too.
        if (is_minute && (was_used || was_used_before || looks % looks_in_ten_minutes == 0)) {
            was_used_before = was_used;
            closed_at_minute = services.handles->closed();
            libraries.for_each("the care of the idle library", [](LibraryUnit& unit) {
                unit.let_mirror_rest();
                unit.limiter().tidy();
            });
        }
        const auto closed = services.handles->closed();
        const bool is_quiet = std::exchange(closed_at_look, closed) == closed;
        const bool has_closed = closed != closed_at_trim;
        const bool is_due = has_closed ? is_quiet || is_minute : threads_may_end && !has_workers(services);
        if (!is_due || is_exchanging(libraries)) {
            continue;
        }
        closed_at_trim = closed;
        threads_may_end = has_closed;
        auto trim = [] {
            malloc_trim(0);
            release_code_pages();
        };
        co_await lane.run(trim);
    }
}

}  // namespace shelfd::app

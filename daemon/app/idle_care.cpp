#include "app/idle_care.hpp"

#include "app/host/code_pages.hpp"
#include "mirror/file/handle_pool.hpp"

#include <cstdint>
#include <malloc.h>
#include <utility>

namespace shelfd::app {
namespace {

constexpr Duration between_looks = std::chrono::seconds(15);
constexpr int looks_a_minute = 4;
constexpr int looks_an_hour = 60 * looks_a_minute;

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

// Closes mirrors that something other than a pass has opened. Where none is open, no library is looked at: a thousand
// of them, whose memory was not used for a while, cost a fifth of a second (measured in a virtual machine).
class MirrorCare {
public:
    MirrorCare(const DaemonServices& services, const LibrarySet& libraries)
        : handles_(*services.handles), libraries_(libraries), closed_(handles_.closed())
    {
    }

    // Returns true if libraries have given back memory.
    bool look()
    {
        ++looks_;
        const bool is_open = handles_.open() > 0;
        const auto closed = handles_.closed();
        quiet_looks_ = is_open || std::exchange(closed_, closed) != closed ? 0 : quiet_looks_ + 1;
        if (is_hour() || (is_open && is_minute())) {
            libraries_.for_each(task, [](LibraryUnit& unit) { unit.let_mirror_rest(); });
        }
        // The requests of the last passes are older than a minute now.
        const bool tidies = is_hour() || quiet_looks_ == looks_a_minute;
        if (tidies) {
            libraries_.for_each(task, [](LibraryUnit& unit) { unit.limiter().tidy(); });
        }
        return tidies;
    }
    bool is_minute() const { return looks_ % looks_a_minute == 0; }
    bool is_hour() const { return looks_ % looks_an_hour == 0; }

private:
    static constexpr auto task = "the care of the idle library";

    const mirror::HandlePool& handles_;
    const LibrarySet& libraries_;
    std::uint64_t closed_;
    int looks_ = 0;
    int quiet_looks_ = 0;
};

}  // namespace

// malloc keeps the memory of closed mirrors that lies between used memory, and that of ended threads, until malloc_trim
// (measured: 55 of 102 MiB with 300 libraries), which takes a fifth of a second with a thousand libraries, whatever it
// finds. It is called when no mirror was closed for a while, or each minute while some are, and each hour. What
// libraries and threads give back later is little (20 KiB, measured), so that only the code that they have used goes.
asio::awaitable<void> tend_idle_libraries(DaemonServices& services, const LibrarySet& libraries)
{
    auto lane = services.workers.mirrors.lane();
    MirrorCare mirrors(services, libraries);
    auto closed_at_trim = services.handles->closed();
    auto closed_at_look = closed_at_trim;
    bool has_tidied = false;
    bool threads_may_end = false;
    bool is_hour_due = false;
    for (;;) {
        co_await services.clock.sleep_for(between_looks);
        has_tidied = mirrors.look() || has_tidied;
        is_hour_due = is_hour_due || mirrors.is_hour();
        const auto closed = services.handles->closed();
        const bool is_quiet = std::exchange(closed_at_look, closed) == closed;
        const bool has_closed = closed != closed_at_trim;
        const bool is_due = has_closed ? is_quiet || mirrors.is_minute() : is_hour_due;
        const bool trims = is_due && !is_exchanging(libraries);
        if (!trims && !has_tidied && (!threads_may_end || has_workers(services))) {
            continue;
        }
        has_tidied = false;
        threads_may_end = trims;
        if (trims) {
            closed_at_trim = closed;
            is_hour_due = false;
        }
        auto give_back = [trims] {
            if (trims) {
                malloc_trim(0);
            }
            release_code_pages();
        };
        co_await lane.run(give_back);
    }
}

}  // namespace shelfd::app

#include "sync/idle_rest.hpp"

#include <algorithm>

namespace shelfd::sync {
namespace {

constexpr Duration idle_for = std::chrono::minutes(1);
// A pass that somebody asked for wakes the mirror, too; within this time it rests again.
constexpr Duration longest_look = std::chrono::minutes(10);

std::uint64_t count_passes(const Workers& workers)
{
    std::uint64_t passes = 0;
    for (const auto& worker : workers) {
        passes += worker->report().passes_ended;
    }
    return passes;
}

bool is_any_busy(const Workers& workers)
{
    return std::any_of(workers.begin(), workers.end(), [](const auto& worker) { return worker->is_busy(); });
}

// Until the next pass is due; nothing planned (a paused library) is far away.
Duration time_left(const Workers& workers, Instant now)
{
    auto left = longest_look;
    for (const auto& worker : workers) {
        if (const auto due = worker->report().next_due) {
            left = std::min(left, *due - now);
        }
    }
    return left;
}

asio::awaitable<void> rest(LibraryContext& context)
{
    std::uint64_t wal_bytes = 0;
    auto work = [&context, &wal_bytes]() -> Result<void> {
        const auto emptied = context.mirror.checkpoint(storage::CheckpointMode::truncate);
        wal_bytes = context.mirror.wal_bytes();
        auto rested = context.mirror.rest();
        return emptied ? rested : emptied.error();
    };
    const auto done = co_await context.lane.run(work);
    context.wal_bytes = wal_bytes;
    if (!done) {
        // The pass that comes next meets the same trouble, and reports it.
        context.log.debug("mirror not put to rest: " + done.error().text(), {{"library", context.library.name}});
    }
}

}  // namespace

asio::awaitable<void> rest_when_idle(LibraryContext& context, const Workers& workers)
{
    std::optional<std::uint64_t> rested_after;
    for (;;) {
        // What is at rest is looked at when the next pass will have ended, or when somebody may have asked for one.
        const bool rests = rested_after == count_passes(workers);
        const auto next_look = time_left(workers, context.clock.now()) + idle_for;
        co_await context.clock.sleep_for(rests ? std::clamp(next_look, idle_for, longest_look) : idle_for);
        const auto passes = count_passes(workers);
        const bool is_idle = !is_any_busy(workers) && time_left(workers, context.clock.now()) >= idle_for;
        if (is_idle && rested_after != passes) {
            co_await rest(context);
            rested_after = passes;
        }
    }
}

}  // namespace shelfd::sync

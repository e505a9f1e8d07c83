#include "sync/worker/idle_rest.hpp"

#include "sync/library/mirror_news.hpp"
#include "sync/library/wal_watch.hpp"

#include <algorithm>

namespace shelfd::sync {
namespace {

constexpr Duration idle_alone = std::chrono::minutes(1);
// The next table of the same library mostly begins before; measured with 1,000 libraries that start: a whole second
// kept 154 mirrors open.
constexpr Duration idle_in_a_crowd = std::chrono::milliseconds(50);
// Opening a mirror costs about as much as a poll without rows.
constexpr Duration soon_in_a_crowd = std::chrono::seconds(1);
// While a reader keeps the WAL from being emptied: soon after it has ended, nobody is asked to end it any more.
constexpr Duration between_tries = std::chrono::seconds(10);
// Later than any idle time.
constexpr Duration far_away = std::chrono::minutes(5);

bool is_any_busy(const Workers& workers, const DetailWorkers& details)
{
    return std::any_of(workers.begin(), workers.end(), [](const auto& worker) { return worker->is_busy(); }) ||
           std::any_of(details.begin(), details.end(), [](const auto& worker) { return worker->is_busy(); });
}

// Time until the next pass or turn of details; `far_away` if none is planned (a paused library).
Duration time_left(const Workers& workers, const DetailWorkers& details, Instant now)
{
    auto left = far_away;
    const auto count = [&left, now](const std::optional<Instant>& due) {
        left = std::min(left, due.value_or(now + far_away) - now);
    };
    for (const auto& worker : workers) {
        // A table that waits for its turn or the limit needs the mirror only afterwards.
        if (!worker->report().queued) {
            count(worker->report().next_due);
        }
    }
    for (const auto& worker : details) {
        count(worker->report().next_due);
    }
    return left;
}

asio::awaitable<void> rest(LibraryContext& context)
{
    WalLook wal;
    auto work = [&context, &wal]() -> Result<void> {
        const auto emptied = context.mirror.checkpoint(storage::CheckpointMode::truncate);
        wal.bytes = context.mirror.wal_bytes();
        wal.emptied = emptied && *emptied;
        auto rested = context.mirror.close_idle();
        return emptied ? rested : emptied.error();
    };
    const auto done = co_await context.lane.run(work);
    record_wal(context, wal);
    if (!done) {
        // The next pass meets the same error and reports it.
        context.log.debug("idle mirror not closed: " + done.error().text(), {{"library", context.library.name}});
    }
}

asio::awaitable<void> look_at_pinned_wal(LibraryContext& context)
{
    auto work = [&context] { return try_to_empty_wal(context); };
    const auto look = co_await context.lane.run(work);
    if (look) {
        record_wal(context, *look);
    } else {
        context.log.debug("WAL not emptied: " + look.error().text(), {{"library", context.library.name}});
    }
}

}  // namespace

asio::awaitable<void> rest_when_idle(LibraryContext& context, const Workers& workers, const DetailWorkers& details)
{
    for (;;) {
        co_await log_mirror_news(context);
        const bool is_pinned = context.state.wal.pinned_since.has_value();
        if (!context.mirror.is_open() && !is_pinned) {
            co_return;
        }
        const bool in_a_crowd = context.mirror.is_open() && context.mirror.handle_wanted_elsewhere();
        co_await context.clock.sleep_for(in_a_crowd ? idle_in_a_crowd : is_pinned ? between_tries : idle_alone);
        if (is_pinned && !in_a_crowd) {
            co_await look_at_pinned_wal(context);
        }
        const bool is_idle = !is_any_busy(workers, details) && time_left(workers, details, context.clock.now()) >=
                                                                   (in_a_crowd ? soon_in_a_crowd : idle_alone);
        if (is_idle && context.mirror.is_open()) {
            co_await rest(context);
        }
    }
}

}  // namespace shelfd::sync

#include "app/report/progress_report.hpp"

#include "app/pace/sharing_walks.hpp"
#include "app/report/budget_report.hpp"
#include "app/report/lateness.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace shelfd::app {
namespace {

// At the pace at work so far; empty if that is not known. Counts down while the pass works, and stands while it waits.
std::optional<Duration> time_at_pace(const sync::Progress& progress, Instant now)
{
    const auto share = [](Duration took, std::uint64_t done, std::uint64_t left, Duration since) {
        const auto all = static_cast<std::int64_t>(static_cast<double>(took.count()) / static_cast<double>(done) *
                                                   static_cast<double>(left));
        return std::max(Duration(all) - since, Duration(0));
    };
    if (progress.lists > 0) {
        return progress.list > 1
                   ? std::optional(share(progress.round_worked, progress.list - 1, progress.lists - progress.list + 1,
                                         progress.round_worked_until(now) - progress.round_worked))
                   : std::nullopt;
    }
    const bool is_known = progress.rows > 0 && progress.count > progress.rows;
    return is_known ? std::optional(share(progress.worked, progress.rows, progress.count - progress.rows,
                                          progress.worked_until(now) - progress.worked))
                    : std::nullopt;
}

double rows_per_second(const sync::Progress& progress, Instant now)
{
    const auto seconds = std::chrono::duration<double>(now - progress.started).count();
    return progress.lists == 0 && progress.rows > 0 && seconds > 0.5 ? static_cast<double>(progress.rows) / seconds : 0;
}

bool is_bound_by_limit(const sync::Progress& progress, const budget::LimiterStatus& limiter)
{
    return (progress.wait && progress.wait->requests > 0) || limiter.paused_until ||
           (limiter.limit && limiter.used + limiter.foreign >= *limiter.limit);
}

}  // namespace

bool waits_for_limit(const sync::Progress& progress, Instant now)
{
    // Each request of a pass at the pace of the limit waits for a moment.
    constexpr auto noticeable = std::chrono::seconds(5);
    return progress.running && progress.wait && progress.wait->requests > 0 && now - progress.wait->since >= noticeable;
}

std::optional<Duration> time_left(const sync::Progress& progress, Duration at_limit,
                                  const budget::LimiterStatus& limiter, Instant now)
{
    const auto at_pace = time_at_pace(progress, now);
    const auto least = is_bound_by_limit(progress, limiter) ? Duration(1) : Duration(worth_telling);
    return at_pace || at_limit >= least ? std::optional(std::max(at_pace.value_or(Duration(0)), at_limit))
                                        : std::nullopt;
}

std::optional<control::Running> report_progress(const LibraryUnit& unit, const sync::Progress& progress,
                                                std::uint64_t waiting_items, Instant now)
{
    if (!progress.running) {
        return std::nullopt;
    }
    const auto limiter = unit.limiter().status();
    control::Running running;
    running.started = progress.started;
    running.phase = progress.phase;
    running.page = progress.page;
    running.pages = progress.pages;
    running.rows = progress.rows;
    running.count = progress.count;
    running.note = progress.note;
    running.source = progress.source;
    if (!progress.note.empty() && progress.source == TroubleSource::limit &&
        limiter.narrowing != budget::Narrowing::none) {
        running.note += fmt::format("; in force: {}", describe_limit(limiter));
    }
    running.stands_still = progress.held_up_since && now - *progress.held_up_since >= worth_telling;
    running.list = progress.list;
    running.lists = progress.lists;
    running.rows_per_second = rows_per_second(progress, now);
    if (waits_for_limit(progress, now)) {
        running.waits_for_limit_since = progress.wait->since;
        running.next_request_at = limiter.next_slot;
        running.limit = describe_limit(limiter);
    }
    if (progress.held_up_since) {
        return running;  // the time left is not known
    }
    const auto left = std::max(requests_left(progress), waiting_items);
    const MeasuredWalk own{left, &unit, purpose_of(progress), progress.lists > 0};
    running.eta = time_left(progress, time_beside_others(own, unit, progress, now), limiter, now);
    if (running.eta && progress.wait && progress.wait->requests > 0 && limiter.next_slot) {
        running.eta = std::max(*running.eta, *limiter.next_slot - now);
    }
    return running;
}

}  // namespace shelfd::app

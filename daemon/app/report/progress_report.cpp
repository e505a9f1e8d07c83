#include "app/report/progress_report.hpp"

#include "app/report/budget_report.hpp"
#include "app/report/lateness.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace shelfd::app {
namespace {

std::vector<std::uint64_t> left_of_all(const LibraryUnit& unit)
{
    std::vector<std::uint64_t> left;
    for (const auto& worker : unit.tables().lists()) {
        left.push_back(requests_left(worker->report().progress));
    }
    for (const auto& worker : unit.tables().details()) {
        left.push_back(requests_left(worker->report().progress));
    }
    return left;
}

// At the pace so far; empty if that is not known.
std::optional<Duration> time_at_pace(const sync::Progress& progress, Instant now)
{
    const auto share = [](Duration took, std::uint64_t done, std::uint64_t left) {
        return Duration(static_cast<std::int64_t>(static_cast<double>(took.count()) / static_cast<double>(done) *
                                                  static_cast<double>(left)));
    };
    if (progress.lists > 0) {
        return progress.list > 1 ? std::optional(share(now - progress.round_started, progress.list - 1,
                                                       progress.lists - progress.list + 1))
                                 : std::nullopt;
    }
    const bool is_known = progress.rows > 0 && progress.count > progress.rows;
    return is_known ? std::optional(share(now - progress.started, progress.rows, progress.count - progress.rows))
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

std::uint64_t requests_left(const sync::Progress& progress)
{
    if (!progress.running) {
        return 0;
    }
    if (progress.phase == sync::Phase::details) {
        return progress.count > progress.rows ? progress.count - progress.rows : 0;
    }
    if (progress.lists > 0) {
        return progress.lists - progress.list + 1;
    }
    return progress.pages >= progress.page ? progress.pages - progress.page + (progress.page > 0 ? 1 : 0) : 0;
}

Duration time_at_limit(std::uint64_t own, const std::vector<std::uint64_t>& all, const budget::LimiterStatus& limiter,
                       Instant now)
{
    if (!limiter.limit || own == 0) {
        return Duration(0);
    }
    std::uint64_t before = 0;
    for (const auto left : all) {
        before += std::min(left, own);
    }
    // What is in flight has its slot.
    before = std::max(before, own) - std::min<std::uint64_t>(std::max(before, own), limiter.in_flight);
    const auto most = *limiter.limit - std::min(limiter.foreign, *limiter.limit - std::min(1U, *limiter.limit));
    const std::uint64_t at_once = most - std::min(limiter.used, most);
    const auto pause = limiter.paused_until ? std::max(*limiter.paused_until - now, Duration(0)) : Duration(0);
    if (before <= at_once || most == 0) {
        return pause;
    }
    const auto time_of = [most](std::uint64_t requests) {
        constexpr Duration minute = std::chrono::minutes(1);
        return Duration(
            static_cast<std::int64_t>(static_cast<double>(minute.count()) * static_cast<double>(requests) / most));
    };
    const auto at_rate = pause + time_of(before - at_once);
    // Counts down while nothing is sent. A slot that becomes free takes a request with it, so the sum never grows.
    return at_once == 0 && limiter.next_slot
               ? std::min(at_rate, std::max(*limiter.next_slot - now, pause) + time_of(before - 1))
               : at_rate;
}

std::optional<Duration> time_left(const sync::Progress& progress, Duration at_limit,
                                  const budget::LimiterStatus& limiter, Instant now)
{
    // While the limit decides, rows over time shrink with every second without a request, and their estimate grows.
    if (is_bound_by_limit(progress, limiter)) {
        return at_limit > Duration(0) ? std::optional(at_limit) : std::nullopt;
    }
    const auto at_pace = time_at_pace(progress, now);
    // The pace of the first minute is that of requests which the limit let through at once.
    return at_pace || at_limit >= worth_telling ? std::optional(std::max(at_pace.value_or(Duration(0)), at_limit))
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
    // Each request of a pass at the pace of the limit waits for a moment.
    constexpr auto noticeable = std::chrono::seconds(5);
    if (progress.wait && progress.wait->requests > 0 && now - progress.wait->since >= noticeable) {
        running.waits_for_limit_since = progress.wait->since;
        running.next_request_at = limiter.next_slot;
    }
    if (progress.held_up_since) {
        return running;  // the time left is not known
    }
    const auto left = std::max(requests_left(progress), waiting_items);
    running.eta = time_left(progress, time_at_limit(left, left_of_all(unit), limiter, now), limiter, now);
    return running;
}

}  // namespace shelfd::app

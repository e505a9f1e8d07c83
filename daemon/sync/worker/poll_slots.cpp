#include "sync/worker/poll_slots.hpp"

#include <algorithm>

namespace shelfd::sync {
namespace {

// A poll is a page and the canary, or two pages.
constexpr std::uint64_t max_of_a_poll = 2;

// As many as the last pass took, if that was a poll; at least `max_of_a_poll`.
std::uint64_t requests_of_a_poll(const Boxed<PassReport>& last)
{
    const bool was_poll = last && (last->kind != PassKind::full || last->pages <= max_of_a_poll);
    return std::max<std::uint64_t>(was_poll ? last->spent.total() : 0, max_of_a_poll);
}

std::uint64_t polls_a_minute(Duration pace)
{
    return std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::chrono::minutes(1) / std::max<Duration>(pace, std::chrono::seconds(1))));
}

}  // namespace

bool PollSlots::is_polled(const ResourceReport& report) const
{
    const bool is_short = report.summary.as_of && report.summary.rows <= max_of_a_poll * page_size_;
    return resource_.incremental || resource_.window || (is_short && !resource_.parent);
}

bool PollSlots::is_poll(const Round& round, const ResourceReport& report) const
{
    const bool is_bulk = round.line.purpose != budget::Purpose::incremental;
    return is_polled(report) && round.ordinary && !round.by_parent && !round.is_sliced() &&
           (!is_bulk || round.expected_requests(report.summary.rows, page_size_) <= max_of_a_poll);
}

void PollSlots::reserve(BootTime at, const ResourceReport& report, Duration pace)
{
    release();
    if (is_polled(report)) {
        announced_.emplace(limiter_.announce_due(at, requests_of_a_poll(report.last_pass) * polls_a_minute(pace)));
    }
}

}  // namespace shelfd::sync

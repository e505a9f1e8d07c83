#include "schedule/quiet_hours.hpp"

#include <algorithm>

namespace shelfd::schedule {

Result<QuietHours> QuietHours::load(const std::vector<TimeSpan>& spans, const std::string& zone)
{
    if (spans.empty()) {
        return QuietHours();
    }
    const auto merged = merge_spans(spans);
    if (!merged) {
        return Error(ErrorKind::config, "`quiet` leaves no time of the day for requests");
    }
    std::vector<std::chrono::minutes> begins;
    std::vector<std::chrono::minutes> ends;
    Duration longest{0};
    for (const auto& span : *merged) {
        begins.push_back(span.from);
        ends.push_back(span.to);
        longest = std::max<Duration>(longest, span.length());
    }
    SHELFD_TRY_ASSIGN(first, PlannedTimes::load(std::move(begins), Weekdays().set(), zone));
    SHELFD_TRY_ASSIGN(last, PlannedTimes::load(std::move(ends), Weekdays().set(), zone));
    return QuietHours(std::make_shared<const Times>(Times{std::move(first), std::move(last), longest}));
}

Instant QuietHours::end_after(Instant at) const
{
    if (!times_) {
        return at;
    }
    const auto end = times_->ends.next_after(at);
    return end < times_->begins.next_after(at) ? end : at;
}

Instant QuietHours::after(Instant from, Duration age) const
{
    if (!times_) {
        return from + age;
    }
    for (auto at = end_after(from);;) {
        const auto begin = times_->begins.next_after(at);
        if (age <= begin - at) {
            return at + age;
        }
        age -= begin - at;
        at = end_after(begin);
    }
}

Duration QuietHours::longest() const
{
    return times_ ? times_->longest : Duration(0);
}

}  // namespace shelfd::schedule

// What people and other parts see of a limiter.
#include "budget/limiter.hpp"

#include <algorithm>
#include <cstdlib>

namespace shelfd::budget {

LimiterStatus Limiter::status() const
{
    const auto now = clock_.boot_now();
    const auto gone = std::count_if(log_.ended().begin(), log_.ended().end(),
                                    [now](const auto& entry) { return entry.first <= now - window; });
    const auto instant_of = [this, now](BootTime at) { return clock_.now() + (at - now); };
    LimiterStatus status;
    status.configured = options_.per_minute;
    if (options_.per_minute) {
        status.limit = limit(now);
        const bool is_named = service_limit_.value_or(UINT32_MAX) < *options_.per_minute;
        status.named = is_named ? service_limit_ : std::nullopt;
        status.left = left_to_others(status.named.value_or(*options_.per_minute));
        if (now < went_well_until_ && went_well_ <= *status.limit) {
            status.narrowing = Narrowing::learned;
            status.narrowed_until = instant_of(went_well_until_);
        } else if (is_named) {
            status.narrowing = Narrowing::named;
        } else if (now < foreign_until_ && foreign_ > options_.leave) {
            status.narrowing = Narrowing::shared;
        } else if (options_.leave > 0) {
            status.narrowing = Narrowing::left;
        }
    }
    status.used = log_.used() - static_cast<std::uint32_t>(gone);
    status.foreign = now < foreign_until_ ? foreign_ : 0;
    status.in_flight = in_flight_;
    status.waiting = static_cast<std::uint32_t>(line_.size());
    status.requests = requests_;
    status.log_errno = log_.write_errno();
    if (now < paused_until_) {
        status.paused_until = instant_of(paused_until_);
    }
    if (const auto next = line_.empty() ? std::nullopt : next_change(now)) {
        status.next_slot = instant_of(*next);
    }
    return status;
}

const char* to_string(Purpose purpose)
{
    switch (purpose) {
    case Purpose::token: return "token";
    case Purpose::interactive: return "interactive";
    case Purpose::incremental: return "incremental";
    case Purpose::full: return "full";
    case Purpose::detail: return "detail";
    case Purpose::rolling: return "rolling";
    }
    std::abort();
}

}  // namespace shelfd::budget

#include "sync/trouble/dead_set.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace shelfd::sync {

bool is_dead(const oauth::TokenStatus& set)
{
    return set.needs_person && !set.access_usable && set.state != TokenState::wrong_library;
}

std::string describe_dead(const std::string& library, const oauth::TokenStatus& set)
{
    return fmt::format("{}: {}{}{}", library, set.reason, set.do_this.empty() ? "" : "; ", set.do_this);
}

Duration time_to_live(const oauth::TokenStatus& set, Instant now)
{
    constexpr Duration shortest = std::chrono::seconds(1);  // clocks are rounded
    return set.deadline ? std::max<Duration>(*set.deadline - now, shortest) : Duration::max();
}

}  // namespace shelfd::sync

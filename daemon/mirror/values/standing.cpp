#include "mirror/values/standing.hpp"

namespace shelfd::mirror {

TableState ResourceSummary::state_at(Instant now) const
{
    const auto is_over = [now](const std::optional<Instant>& at) { return at && *at < now; };
    return state == TableState::fresh && (is_over(late_at) || is_over(proven_late_at)) ? TableState::late : state;
}

}  // namespace shelfd::mirror

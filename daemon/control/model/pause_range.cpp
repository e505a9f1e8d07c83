#include "control/model/pause_range.hpp"

#include <algorithm>

namespace shelfd::control {

std::string describe_pauses(const std::vector<const Affected*>& affected)
{
    const auto& first = *affected.front();
    const auto* longest = &first;
    bool differs = false;
    for (const auto* one : affected) {
        differs = differs || one->next_try != first.next_try;
        const bool is_longer = one->next_try && (!longest->next_try || *one->next_try > *longest->next_try);
        longest = is_longer ? one : longest;
    }
    if (!differs || !longest->next_try) {
        return first.why;
    }
    auto why = longest->why;
    const auto until = longest->next_try->to_short_text();
    if (const auto at = why.find(until); at != std::string::npos) {
        why.insert(at + until.size(), " at the latest");
    }
    return why;
}

std::string describe_pauses(const std::vector<Affected>& affected)
{
    std::vector<const Affected*> all;
    std::transform(affected.begin(), affected.end(), std::back_inserter(all), [](const Affected& one) { return &one; });
    return describe_pauses(all);
}

}  // namespace shelfd::control

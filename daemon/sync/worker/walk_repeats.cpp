#include "sync/worker/walk_repeats.hpp"

#include <utility>

namespace shelfd::sync {
namespace {

// After so many of them the schedule goes on.
constexpr std::uint32_t max_repeats = 2;

}  // namespace

void WalkRepeats::published(const PassReport& report, Pass pass)
{
    is_due_ =
        pass == Pass::walk && !report.proof.complete() && !report.is_unvouched && is_worth_another(report.learned.met);
    repeats_ = is_due_ ? repeats_ + 1 : 0;
}

// Where a walk met all that the one before it did, and proved nothing either, a third would not: the service counts
// rows that it does not show, say. Nor do later ones, until something else is met.
bool WalkRepeats::is_worth_another(const std::string& met)
{
    const auto before = std::exchange(met_before_, met);
    if (repeats_ > 0 && before == met) {
        met_in_vain_ = before;
    }
    return repeats_ < max_repeats && met != met_in_vain_;
}

}  // namespace shelfd::sync

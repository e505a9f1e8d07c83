#include "sync/worker/walk_repeats.hpp"

#include <utility>

namespace shelfd::sync {
namespace {

// After this many repetitions the schedule continues.
constexpr std::uint32_t max_repeats = 2;

}  // namespace

void WalkRepeats::published(const PassReport& report, Pass pass)
{
    is_due_ =
        pass == Pass::walk && !report.proof.complete() && !report.is_unvouched && is_worth_another(report.learned.met);
    repeats_ = is_due_ ? repeats_ + 1 : 0;
}

// If two walks met the same rows and proved nothing, a third one would not either: the service may count rows that it
// does not show. The same holds for later walks until they meet other rows.
bool WalkRepeats::is_worth_another(const std::string& met)
{
    const auto before = std::exchange(met_before_, met);
    if (repeats_ > 0 && before == met) {
        met_in_vain_ = before;
    }
    return repeats_ < max_repeats && met != met_in_vain_;
}

}  // namespace shelfd::sync

#include "app/alerts/consumer_lag.hpp"

#include "control/hooks/round_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace shelfd::app {

std::optional<control::Cause> find_lag(const std::string& hook, const control::CallQueue& queue,
                                       const std::string& trouble)
{
    const auto waiting = queue.waiting_rounds(hook);
    if (waiting.empty() || waiting.front()->tries < 2) {
        return std::nullopt;
    }
    control::Cause cause;
    cause.key = "consumer_lag " + hook;
    cause.kind = control::CauseKind::consumer_lag;
    cause.since = waiting.front()->made;
    for (const auto* call : waiting) {
        const auto library = control::library_of_rounds(call->incident);
        const auto is_same = [&library](const control::Affected& one) { return one.library == library; };
        if (std::any_of(cause.affected.begin(), cause.affected.end(), is_same)) {
            continue;
        }
        control::Affected affected;
        affected.library = library;
        affected.why = fmt::format("hook {} has not accepted a call for rounds published since {}{}{}", hook,
                                   call->made.to_short_text(), trouble.empty() ? "" : ": ", trouble);
        affected.do_this = fmt::format("mend that, then: shelfctl hooks test {}", hook);
        cause.affected.push_back(std::move(affected));
    }
    return cause;
}

}  // namespace shelfd::app

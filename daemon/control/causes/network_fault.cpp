#include "control/causes/network_fault.hpp"

#include "base/words/cure.hpp"

#include <fmt/core.h>

namespace shelfd::control {

NetworkFault network_fault(TroubleSource source, const std::string& sentence, const std::string& origin)
{
    if (source == TroubleSource::expired_certificate) {
        return {sentence, "", true};
    }
    if (const auto advice = advice_on(source); !advice.empty()) {
        return {without_cure(sentence, advice), std::string(advice)};
    }
    return {sentence,
            fmt::format("test the connection (add --proxy and --cacert as configured): curl -sSI {}", origin)};
}

void ask_when_it_lasts(Cause& cause, Affected& affected, Instant now)
{
    if (affected.do_this.empty() || cause.severity != Severity::info || !cause.since) {
        return;
    }
    const auto until = *cause.since + usual_patience(CauseKind::network);
    if (now >= until) {
        cause.severity = Severity::ticket;
        return;
    }
    const auto& at = affected.next_try;
    const auto next = !affected.next.empty() ? affected.next
                      : at && *at > now      ? "tries again at " + at->to_short_text()
                                             : std::string("tries again now");
    affected.next = fmt::format("{}; if it lasts until {}: {}", next, until.to_short_text(), affected.do_this);
    affected.do_this.clear();
}

}  // namespace shelfd::control

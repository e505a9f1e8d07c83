#include "control/causes/network_fault.hpp"

#include "base/words/cure.hpp"
#include "base/words/shell_word.hpp"

#include <fmt/core.h>

namespace shelfd::control {

namespace {

// "api.example.com" of "https://api.example.com:8443/v2"
std::string host_of(std::string_view origin)
{
    const auto scheme = origin.find("://");
    origin.remove_prefix(scheme == std::string_view::npos ? 0 : scheme + 3);
    return std::string(origin.substr(0, origin.find_first_of(":/?#")));
}

// Where the host is known, so that the command can be typed as it stands.
std::string with_host(std::string advice, const std::string& origin)
{
    constexpr std::string_view command = "getent hosts ";
    constexpr std::string_view place = "NAME";
    const auto at = advice.find(std::string(command) + std::string(place));
    const auto host = host_of(origin);
    return at == std::string::npos || host.empty()
               ? advice
               : advice.replace(at + command.size(), place.size(), shell_word(host));
}

}  // namespace

NetworkFault network_fault(TroubleSource source, const std::string& sentence, const std::string& origin)
{
    if (source == TroubleSource::expired_certificate) {
        return {sentence, "", true};
    }
    if (const auto advice = advice_on(source); !advice.empty()) {
        return {without_cure(sentence, advice), with_host(std::string(advice), origin)};
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

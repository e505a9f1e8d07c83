#include "control/causes/network_fault.hpp"

#include <fmt/core.h>

#include <array>
#include <string_view>

namespace shelfd::control {
namespace {

// With each an advice begins, after two bytes.
constexpr std::array<std::string_view, 5> begins{": check ", "; check ", ": correct ", ": sudo ",
                                                 "; for a private authority"};

}  // namespace

NetworkFault read_network_fault(const std::string& sentence, const std::string& origin)
{
    // An expired certificate.
    if (sentence.find("; the service must renew it") != std::string::npos) {
        return {sentence, "", true};
    }
    for (const auto begin : begins) {
        if (const auto at = sentence.find(begin); at != std::string::npos) {
            return {sentence.substr(0, at), sentence.substr(at + 2)};
        }
    }
    return {
        sentence,
        fmt::format("see what this machine reaches, with --proxy and --cacert if configured: curl -sSI {}", origin)};
}

void put_off_cure(Affected& affected, Instant until, Instant now)
{
    if (affected.do_this.empty()) {
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

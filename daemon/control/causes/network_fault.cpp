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

}  // namespace shelfd::control

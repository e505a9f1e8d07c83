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
    return {
        sentence,
        fmt::format("see what this machine reaches, with --proxy and --cacert if configured: curl -sSI {}", origin)};
}

}  // namespace shelfd::control

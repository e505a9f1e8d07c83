#include "ctl/status/present_set.hpp"

#include "base/state/token_state.hpp"
#include "ctl/daemon/client.hpp"
#include "ctl/status/status_view.hpp"

#include <algorithm>

namespace shelfd::ctl {

PresentSet present_set(const Context& context, const std::string& library)
{
    const auto answer = client_of(context).get("/v1/status");
    const auto status = answer && answer->check() ? read_status(answer->body) : Error(ErrorKind::network, "");
    if (!status) {
        return PresentSet::unknown;
    }
    const auto& all = status->libraries;
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == library; });
    if (found == all.end()) {
        return PresentSet::unknown;
    }
    if (found->token.state == TokenState::none) {
        return PresentSet::none;
    }
    return found->identity_verified ? PresentSet::verified : PresentSet::unverified;
}

}  // namespace shelfd::ctl

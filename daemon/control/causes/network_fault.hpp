// What a request without an answer asks for, and of whom.
#pragma once

#include "base/state/trouble.hpp"
#include "control/model/cause.hpp"

#include <string>

namespace shelfd::control {

struct NetworkFault {
    std::string why;
    std::string do_this;         // "" = nothing on this machine
    bool is_of_service = false;  // only its operator can mend it
};

// Separates the advice that the sentence ends with from the reason. If `source` has none, the advice is to see what
// this machine reaches of `origin`.
NetworkFault network_fault(TroubleSource source, const std::string& sentence, const std::string& origin);

// Nobody is asked to act before `until`, because a way to the service may come back by itself; but who looks because
// something is wrong learns what to check if it lasts.
void put_off_cure(Affected& affected, Instant until, Instant now);

}  // namespace shelfd::control

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

// For trouble between this machine and a service of which nothing is late yet. It may end by itself, so nobody is asked
// to act within the usual patience; but who looks because something is wrong learns what to check if it lasts. After
// that somebody here has to act, if anything can be done here: the severity is a ticket.
void ask_when_it_lasts(Cause& cause, Affected& affected, Instant now);

}  // namespace shelfd::control

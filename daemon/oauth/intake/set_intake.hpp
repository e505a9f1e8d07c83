// Orders of a person that change the set: import, login, move, adopt, forget. One at a time, between two refreshes.
#pragma once

#include "oauth/intake/set_handover.hpp"
#include "oauth/intake/set_login.hpp"

namespace shelfd::oauth {

// Constructed in the order of dependencies; neither copied nor moved.
struct SetIntake {
    explicit SetIntake(KeeperParts of_keeper) : parts(std::move(of_keeper)) {}
    SetIntake(const SetIntake&) = delete;
    SetIntake& operator=(const SetIntake&) = delete;

    KeeperParts parts;
    AskingPace pace{parts.services.clock};
    SetChange change{parts, pace};
    SetProof proof{parts, change, pace};
    SetImport import{parts, change, proof};
    SetLogin login{parts, change, proof, import, pace};
    SetHandover handover{parts, change};
};

}  // namespace shelfd::oauth

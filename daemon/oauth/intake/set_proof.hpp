// Identifies the library of a set whose access token had expired on arrival: refreshes it first, then asks the canary.
#pragma once

#include "oauth/intake/set_change.hpp"

namespace shelfd::oauth {

class SetProof {
public:
    SetProof(const KeeperParts& parts, SetChange& change, AskingPace& pace)
        : parts_(parts), change_(change), pace_(pace)
    {
    }

    // For an untried set in force, with the previous one kept: refreshes it at once, then asks the canary. `given` is
    // the refresh token that was provided.
    asio::awaitable<Result<ImportOutcome>> refresh_untried(ImportMode mode, const Secret& given);
    // Returns when to call it next; nullopt = not in the present state. Does nothing while an exchange is ambiguous: a
    // change would overwrite its result.
    asio::awaitable<std::optional<BootTime>> run_when_due();

private:
    asio::awaitable<Result<void>> prove();
    asio::awaitable<Error> drop_unproven(const CanaryReading& reading);
    bool may_ask() const;

    const KeeperParts& parts_;
    SetChange& change_;
    AskingPace& pace_;
};

}  // namespace shelfd::oauth

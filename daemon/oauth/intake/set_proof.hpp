// Proves whose a set is whose access token had ended when it came: refreshed first, then asked.
#pragma once

#include "oauth/intake/set_change.hpp"

namespace shelfd::oauth {

class SetProof {
public:
    SetProof(const KeeperParts& parts, SetChange& change, AskingPace& pace)
        : parts_(parts), change_(change), pace_(pace)
    {
    }

    // An untried set is in force, the one before is kept: refreshed at once, and then asked whose it is. `given` is the
    // refresh token that came in.
    asio::awaitable<Result<ImportOutcome>> refresh_untried(ImportMode mode, const Secret& given);
    // When it wants to be called next; nullopt: not as long as all is as it is. Never while an exchange is in doubt:
    // that set would take the place of what may come of it.
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

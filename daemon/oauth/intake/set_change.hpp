// Puts another set in force: makes it durable, holds it, and resets the machine.
#pragma once

#include "oauth/exchange/asking_pace.hpp"
#include "oauth/intake/keeper_parts.hpp"

namespace shelfd::oauth {

class SetChange {
public:
    SetChange(const KeeperParts& parts, AskingPace& pace) : parts_(parts), pace_(pace) {}

    // Must not be interrupted: from here on the set must not be lost. `kept` is kept in addition to `next` until `next`
    // is proven. Returns "" if `next` is in force; otherwise the failure, and the present set stays in force.
    asio::awaitable<std::string> replace(TokenSet next, std::optional<TokenSet> kept);
    // The same for a caller that cannot be cancelled.
    asio::awaitable<std::string> replace_shielded(TokenSet next, std::optional<TokenSet> kept);

    // Returns the present set, to be kept in addition to `next`, and sets `next.keep`; nullopt if it cannot be
    // refreshed.
    std::optional<TokenSet> keep_for(TokenSet& next) const;
    // Fails if no other set may be put in force now: the journals may not be written, or a login waits.
    Result<void> check() const;
    // Error usage if a set would replace one of another library that can be refreshed. Of which library the service
    // says that it is; "" = the service has not said it, and it is taken for one of the library that is expected.
    Result<void> check_owner(const std::string& said) const;

private:
    void begin_with(TokenSet next, std::optional<TokenSet> kept);

    const KeeperParts& parts_;
    AskingPace& pace_;
};

}  // namespace shelfd::oauth

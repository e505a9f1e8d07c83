// Puts another set in force: durable first, then held, then the machine begins anew with it.
#pragma once

#include "oauth/exchange/asking_pace.hpp"
#include "oauth/intake/keeper_parts.hpp"

namespace shelfd::oauth {

class SetChange {
public:
    SetChange(const KeeperParts& parts, AskingPace& pace) : parts_(parts), pace_(pace) {}

    // Not to be interrupted: the set is ours to keep from here on. `kept` stays beside `next` until that one is proven.
    // Returns what went wrong, and the present set stays in force; "" when `next` is in force.
    asio::awaitable<std::string> replace(TokenSet next, std::optional<TokenSet> kept);
    // The same for a caller that nothing interrupts.
    asio::awaitable<std::string> replace_shielded(TokenSet next, std::optional<TokenSet> kept);

    // The present set, to be kept beside `next`, if it is of use.
    std::optional<TokenSet> keep_for(TokenSet& next) const;
    // Whether another set may be put in force now.
    Result<void> check() const;

private:
    void begin_with(TokenSet next, std::optional<TokenSet> kept);

    const KeeperParts& parts_;
    AskingPace& pace_;
};

}  // namespace shelfd::oauth

// References to the parts of one keeper, and callbacks to it, for its driver and for orders of a person.
#pragma once

#include "oauth/exchange/canary_asker.hpp"
#include "oauth/exchange/exchange.hpp"
#include "oauth/status/describe.hpp"

#include <functional>

namespace shelfd::oauth {

struct KeeperParts {
    const TokenKeeperSettings& settings;
    const TokenKeeperServices& services;
    const Moments& moments;
    HeldSets& sets;
    RefreshMachine& machine;
    StandingRecord& standing;
    JournalTender& journals;
    CanaryAsker& canary;
    Exchange& exchange;
    std::function<TokenFacts()> facts;
    std::function<void()> changed;                  // call after each change of the status
    std::function<asio::awaitable<void>()> rotate;  // refreshes the present set now
};

}  // namespace shelfd::oauth

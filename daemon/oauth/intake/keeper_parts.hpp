// References to the parts of one keeper, and what they ask of it: for its driver and for the orders of a person.
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
    std::function<void()> changed;                  // after each change of the status
    std::function<asio::awaitable<void>()> rotate;  // refreshes the present set now
};

}  // namespace shelfd::oauth

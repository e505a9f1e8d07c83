// The values from which the status of a token set is computed.
#pragma once

#include "oauth/exchange/exchange_tally.hpp"
#include "oauth/status/blockage.hpp"
#include "oauth/stored/journal_tender.hpp"

namespace shelfd::oauth {

// A view for one call: the references are to members of the keeper.
struct TokenFacts {
    const std::string& library;
    const std::string& places;  // paths of both journals, for people
    BootTime now;
    const Moments& moments;
    const HeldSets& sets;
    const RefreshMachine& machine;
    const StandingRecord& standing;
    const JournalHealth& journals;
    bool wants_mending;
    const Blockage& blockage;
    const ExchangeTally& exchanges;
    std::optional<Duration> last_landing;
    const std::string& canary_fault;
    const std::string& clock_trouble;
    std::string library_id;  // learned or configured; "" = unknown
    bool names_library;      // the canary's answer identifies the library
    std::optional<BootTime> rest_until;
    std::string failed_login;  // see SetLogin::failure

    bool access_is_usable() const { return sets.access() && machine.access_is_usable(now); }
};

}  // namespace shelfd::oauth

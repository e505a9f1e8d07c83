// Status of a token keeper for people, metrics and the control interface. Contains no secrets.
#pragma once

#include "base/instant.hpp"
#include "base/state/token_state.hpp"
#include "base/state/trouble.hpp"
#include "oauth/exchange/exchange_tally.hpp"
#include "oauth/set/token_set.hpp"
#include "oauth/stored/journal_tender.hpp"

#include <optional>
#include <string>

namespace shelfd::oauth {

using shelfd::TokenState;

struct JournalStatus {
    int copies = 0;                       // that lack nothing
    std::string trouble;                  // of a copy; "" = both are good
    std::optional<JournalRepair> repair;  // the newest since the daemon started
    std::uint64_t generation = 0;         // of the newest record, which may say that the set was deleted
    bool holds_login = false;             // the set of a login waits until its library is known
};

struct TokenStatus {
    TokenState state = TokenState::none;
    bool needs_person = false;
    bool access_usable = false;  // syncing continues
    Instant since;               // of the state
    std::string reason;          // one sentence
    std::string do_this;         // what to type or whom to ask; "" = nothing
    // While the service cannot be asked about the token: why.
    std::optional<TroubleSource> unreachable;
    std::string next;  // what the daemon does next, one sentence; "" = nothing
    std::uint64_t generation = 0;
    std::optional<Instant> expires;       // of the access token
    std::optional<Instant> deadline;      // when syncing stops unless a person acts
    std::optional<Instant> last_refresh;  // when the present set was issued
    std::optional<Instant> next_refresh;
    std::string scope;
    std::string library_id;         // learned or configured; "" = unknown
    bool library_verified = false;  // the service confirmed it for this set, or for the one it was refreshed from
    std::string fingerprint;        // of the refresh token; "" = none
    bool from_login = false;        // the set is a person's own, see SetFacts
    Learned learned;
    Duration lifetime{};
    JournalStatus journals;
    std::string clock_trouble;  // of this machine's clock; "" = none known
    std::string failed_login;   // see SetLogin::failure
    ExchangeTally exchanges;
    std::optional<Duration> last_byte_to_durable;  // for the latest answer that reached a disk
};

}  // namespace shelfd::oauth

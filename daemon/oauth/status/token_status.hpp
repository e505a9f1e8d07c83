// Status of a token keeper for people, metrics and the control interface. Contains no secrets.
#pragma once

#include "base/instant.hpp"
#include "oauth/exchange/exchange_tally.hpp"
#include "oauth/set/token_set.hpp"

#include <optional>
#include <string>

namespace shelfd::oauth {

// The first that applies.
enum class TokenState {
    unreadable,     // the journals cannot be opened, are damaged or gone, or must not be changed
    none,           // no set was ever provided, or it was forgotten
    other_service,  // the set was issued by another service, or to another application, than configured
    unstored,       // a new set is in memory only, because no disk takes it
    moved,          // the set was moved to another machine
    copied,         // the store looks copied or restored
    lost,           // the set was destroyed on its way to us; a new one must be issued
    foreign,        // somebody else used or revoked the set; a new one must be issued
    wrong_library,  // the token belongs to another library
    configuration,  // the service refuses our client
    blocked,        // a refresh is due, but a fault on this machine or in the connection prevents it
    in_doubt,       // the outcome of a refresh is ambiguous; being resolved
    ended,          // access token only, and it has expired
    ends,           // access only: works until `deadline`
    refreshing,     // an exchange is in progress
    waiting,        // no access token works now; the next refresh is scheduled
    good,
};
const char* to_string(TokenState state);
// True if waiting alone does not end the state.
bool needs_person(TokenState state);

struct TokenStatus {
    TokenState state = TokenState::none;
    bool needs_person = false;
    bool access_usable = false;  // syncing continues
    Instant since;               // of the state
    std::string reason;          // one sentence
    std::string do_this;         // what to type or whom to ask; "" = nothing
    std::string next;            // what the daemon does next, one sentence; "" = nothing
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
    int journal_copies = 0;       // copies that lack nothing
    std::string storage_trouble;  // of a copy of the journal; "" = both are good
    std::string clock_trouble;    // of this machine's clock; "" = none known
    ExchangeTally exchanges;
    std::optional<Duration> last_byte_to_durable;  // for the latest answer that reached a disk
};

}  // namespace shelfd::oauth

// What a token keeper tells about itself: to people, to metrics, to the control interface. Nothing secret.
#pragma once

#include "base/instant.hpp"
#include "oauth/exchange/exchange_tally.hpp"
#include "oauth/set/token_set.hpp"

#include <optional>
#include <string>

namespace shelfd::oauth {

// The first that holds.
enum class TokenState {
    unreadable,  // the journals cannot be opened, are gone, or must not be touched (a later version, another library)
    none,        // no set was ever given, or it was forgotten
    other_service,  // the set was issued by another service, or to another application, than the configuration names
    unstored,       // a new set is in memory only, because no disk takes it
    moved,          // the set was given away to another machine
    copied,         // the store looks copied or restored
    lost,           // the set was destroyed on its way; a new one must be issued
    foreign,        // somebody else used or revoked the set; a new one must be issued
    wrong_library,  // the token answers as another library
    configuration,  // the service refuses our client
    blocked,        // a refresh is due, and something on this machine or on the way keeps it from being sent
    in_doubt,       // the outcome of a refresh is not known; being resolved
    ended,          // access only, and its time is over
    ends,           // access only: works until `deadline`
    refreshing,     // an exchange is under way
    waiting,        // no access token works now, and the next refresh has its time
    good,
};
const char* to_string(TokenState state);
// Waiting alone does not end it.
bool needs_person(TokenState state);

struct TokenStatus {
    TokenState state = TokenState::none;
    bool needs_person = false;
    bool access_usable = false;  // syncing goes on
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
    std::string library_id;         // learned or configured; "" = not known
    bool library_verified = false;  // the service said so of this very set, or of the one it was refreshed from
    std::string fingerprint;        // of the refresh token; "" = none
    bool from_login = false;        // the set is a person's own, see TokenSet
    Learned learned;
    Duration lifetime{};
    int journal_copies = 0;       // that hold all that is to be known
    std::string storage_trouble;  // of a copy of the journal; "" = both are good
    std::string clock_trouble;    // of this machine's clock; "" = none known
    ExchangeTally exchanges;
    std::optional<Duration> last_byte_to_durable;  // of the newest answer that reached a disk
};

}  // namespace shelfd::oauth

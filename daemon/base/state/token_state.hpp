// The state of a token set, as a value that daemon and shelfctl share.
#pragma once

#include <optional>
#include <string_view>

namespace shelfd {

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

// The word in JSON, SQL and metrics.
const char* to_string(TokenState state);
// Empty for a word that is no state.
std::optional<TokenState> parse_token_state(std::string_view word);
// True if waiting alone does not end the state.
bool needs_person(TokenState state);

}  // namespace shelfd

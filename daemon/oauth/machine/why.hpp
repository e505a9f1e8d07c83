// Why a refresh machine rests, and what that means for those who reported a 401.
#pragma once

#include <string_view>

namespace shelfd::oauth {

// Why nothing happens now. Status and errors contain a sentence for each.
enum class Why {
    nothing,        // no problem: the next refresh is scheduled
    unreachable,    // the service did not answer the canary
    throttled,      // the service asks to wait
    secret,         // the client secret cannot be read
    storage,        // too few copies of the journal can be written
    not_sent,       // the connection for the refresh failed
    hurried,        // refreshed for a 401 shortly before; the next refresh for one must wait
    too_many,       // the day's refreshes, or those of the next hours, are used up
    no_access,      // the set came without a usable access token; the next refresh must wait
    turn,           // another library's refresh is slow, and this one is not urgent
    doubt,          // an exchange is ambiguous; its next step is scheduled
    configuration,  // the service refuses our client
    person,         // only a person can help
    copied,         // the store looks copied or restored; it must be adopted first
    canary_unfit,   // the canary accepts any token, so a 401 elsewhere cannot be confirmed
};

// The outcome for those who reported a 401 for the present generation.
enum class Rejection {
    none,         // nothing was decided; they may report it again later
    refused,      // the canary accepts the token and refuses wrong ones: only that resource is refused
    unconfirmed,  // the canary accepts any token, and no other address tells: the token may be dead
};

// What such callers are told in the last case.
inline constexpr std::string_view unconfirmed_refusal =
    "the service refuses the token here (401), and the page that shows whether a token works accepts any token, so "
    "nothing shows whether the token is dead or only this resource is refused";

}  // namespace shelfd::oauth

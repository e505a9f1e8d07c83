// The answers of the canary as far as decisions need them.
#pragma once

namespace shelfd::oauth {

// What the canary, a cheap GET that needs the access token, said.
enum class CanaryAnswer {
    ours,                // 2xx, as the library that it should be
    wrong_library,       // 2xx, as another one
    refused,             // 401 of the service: the token has expired, or no reason is given
    refused_as_invalid,  // 401 of the service that says the token is invalid: replaced, revoked, never known
    forbidden,           // 403 in JSON: the service itself, but no word on the token
    throttled,           // 429, or 503 with a date
    unreachable,         // anything else: nothing is known
};
bool accepts(CanaryAnswer answer);
bool refuses(CanaryAnswer answer);
// A complete answer of the service itself: the way to it and back is open.
bool proves_path(CanaryAnswer answer);

}  // namespace shelfd::oauth

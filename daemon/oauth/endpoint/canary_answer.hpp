// Answers of the canary, as far as decisions depend on them.
#pragma once

namespace shelfd::oauth {

// The result of asking the canary.
enum class CanaryAnswer {
    ours,                // 2xx, from the expected library
    wrong_library,       // 2xx, from another library
    refused,             // 401 from the service: the token has expired, or no reason is given
    refused_as_invalid,  // 401 from the service that calls the token invalid: replaced, revoked or unknown
    forbidden,           // 403 with a JSON body: from the service itself, but no verdict on the token
    throttled,           // 429, 403 because of a limit, or 503 with Retry-After
    unreachable,         // anything else: nothing is known
};
bool accepts(CanaryAnswer answer);
bool refuses(CanaryAnswer answer);
// True for a complete answer of the service itself: the path to it and back works.
bool proves_path(CanaryAnswer answer);

}  // namespace shelfd::oauth

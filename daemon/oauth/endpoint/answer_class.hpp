// Classifies an answer of the token endpoint: decides whether the refresh token is spent.
#pragma once

#include "base/result.hpp"
#include "http/client.hpp"
#include "oauth/set/token_answer.hpp"

#include <optional>
#include <string>

namespace shelfd::oauth {

enum class AnswerClass {
    granted,        // a complete set: the service rotated
    salvaged,       // not a complete answer, but its refresh token is readable: the service rotated
    denied,         // invalid_grant: the token that we sent is dead
    configuration,  // the service refused our client or request before it checked the token: not spent
    throttled,      // told to wait: not spent, unless the old access token turns out to be dead
    server_error,   // 5xx: possibly rotated; if it persists, a person must look
    unclear,        // time-out, cut off, unreadable, or refused without an OAuth error: possibly rotated
};

// Why an answer is unclear; for a throttled one, whether it was a refusal without an OAuth error.
enum class Ambiguity {
    no_answer,   // no answer, a part of one, an empty body or an HTML page
    refusal,     // 3xx, 4xx or 429 without an OAuth error, possibly from a gateway after the service acted
    unreadable,  // a whole 2xx from which no set can be read, though it may contain one
    unread_set,  // one that may hold a set that cannot be read; also a refusal that names another refresh token
};

struct ClassifiedAnswer {
    AnswerClass answer = AnswerClass::unclear;
    Ambiguity ambiguity = Ambiguity::no_answer;  // for unclear and throttled; for denied, whether it names a new token
    TokenAnswer tokens;                          // for granted and salvaged; for unclear, an access token that survived
    Duration retry_after{0};                     // for throttled, server_error and refusals; 0 = not stated
    std::string reason;                          // one sentence for people; nothing secret
    // For salvaged: the set stood in a refusal, or under uncertain names. The older one is kept until it is proven.
    bool is_doubtful = false;
};

// What arrived: the HTTP status (0 = none), the received part of the body, and whether HTTP reports it complete.
// `presented` is the refresh token that was sent ("" = another grant): an error page that repeats it holds no set.
struct Arrived {
    int status = 0;
    bool complete = false;
    std::string_view body;
    Duration retry_after{0};
    std::string_view presented = {};
};

ClassifiedAnswer classify(const Arrived& arrived);

// True if no byte of the request can have reached the service, so that it cannot have acted.
bool was_not_sent(const Error& error);

const char* to_string(AnswerClass answer);

}  // namespace shelfd::oauth

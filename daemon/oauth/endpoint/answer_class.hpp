// What an answer of the token endpoint means: the table that decides whether a refresh token is spent.
#pragma once

#include "base/result.hpp"
#include "http/client.hpp"
#include "oauth/set/token_answer.hpp"

#include <optional>
#include <string>

namespace shelfd::oauth {

enum class AnswerClass {
    granted,        // a complete set: the service rotated
    salvaged,       // not complete as an answer, but all we need of it is there: the service rotated
    denied,         // invalid_grant: the token that we sent is dead
    configuration,  // the service itself refuses our client or request before it looks at the token: not spent
    throttled,      // come back later: not spent, unless the old access token turns out to be dead
    server_error,   // 5xx: perhaps rotated, and if it goes on, a person must look
    unclear,        // time-out, cut, unreadable, a refusal without an OAuth error: perhaps rotated
};

// What makes an answer unclear; of throttled, whose word it is.
enum class Ambiguity {
    no_answer,   // none came, or a part of one, or an empty one or a page for people where a set should be
    refusal,     // 3xx, 4xx or 429 without an OAuth error: something in front of the service may have made it, after it
                 // acted
    unreadable,  // a whole 2xx that no set can be read from: perhaps there is one in it all the same
};

struct ClassifiedAnswer {
    AnswerClass answer = AnswerClass::unclear;
    Ambiguity ambiguity = Ambiguity::no_answer;  // of unclear and throttled
    TokenAnswer tokens;                          // of granted and salvaged; of unclear, an access token that survived
    Duration retry_after{0};                     // of throttled, server_error and refusals; 0 = not said
    std::string reason;                          // one sentence for people; nothing secret
};

// What arrived: HTTP status (0 = none), the body as far as it came, and whether HTTP says it is whole.
struct Arrived {
    int status = 0;
    bool complete = false;
    std::string_view body;
    Duration retry_after{0};
};

ClassifiedAnswer classify(const Arrived& arrived);

// Whether no byte of the request can have reached the service: then nothing happened, whatever the error.
bool was_not_sent(const Error& error);

const char* to_string(AnswerClass answer);

}  // namespace shelfd::oauth

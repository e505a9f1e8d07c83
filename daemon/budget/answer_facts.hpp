// What an answer says about the service's count of our requests, in every spelling found in practice.
#pragma once

#include "base/instant.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace shelfd::budget {

struct AnswerFacts {
    int status = 0;
    std::optional<Duration> retry_after;
    std::optional<std::uint32_t> limit;      // requests per minute
    std::optional<std::uint32_t> remaining;  // how many of them are left
    std::optional<Duration> reset;           // until the window begins again
    std::uint32_t requests_sent = 1;         // more than 1 if the network layer repeated the request
    bool exhausted = false;                  // some quota, of any window, has nothing left
    std::optional<Duration> refill;          // until no quota is exhausted
};

// True if the answer refuses the request because of a limit: a 429 or 420, a 403 or 430 with a wait or an exhausted
// quota, and any other 4xx but a 401 with a wait.
bool tells_limit(const AnswerFacts& facts);

// The wait that such an answer asks for; empty if it names none.
std::optional<Duration> limit_wait(const AnswerFacts& facts);

// Returns the value of a header by name, ignoring case; "" if it is absent.
using HeaderLookup = std::function<std::string_view(std::string_view name)>;

// Reads X-RateLimit-Limit/-Remaining/-Reset (also X-Rate-Limit-…, Rate-Limit-…, RateLimit-…) and the one-line RateLimit
// field of the IETF drafts, both generations. A quota for another window is converted to requests per minute. Ignored:
// remaining requests of windows shorter than a minute, except for `exhausted`, and quotas for more than an hour. A
// reset given as a time is measured from `service_now`, the answer's Date. Unreadable values count as absent.
// The caller fills `status`, `retry_after` and `requests_sent`.
AnswerFacts read_rate_limit(const HeaderLookup& header, Instant service_now);

}  // namespace shelfd::budget

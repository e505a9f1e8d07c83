// What an answer says about the service's own count of our requests, in every spelling seen in the field.
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
    std::optional<std::uint32_t> limit;      // requests in a minute
    std::optional<std::uint32_t> remaining;  // of them, how many are left
    std::optional<Duration> reset;           // until the window begins anew
    std::uint32_t requests_sent = 1;         // more when the network layer repeated the request by itself
    bool exhausted = false;                  // nothing is left of some quota, of whatever window
    std::optional<Duration> refill;          // until none is exhausted
};

// The answer refuses because of a limit: a 429; or a 403 that asks to wait or comes with an exhausted quota, as some
// services have it.
bool tells_limit(const AnswerFacts& facts);

// How long such an answer asks to wait; nothing where it does not say.
std::optional<Duration> limit_wait(const AnswerFacts& facts);

// The value of a header by name, in any case; "" when it is not there.
using HeaderLookup = std::function<std::string_view(std::string_view name)>;

// Reads X-RateLimit-Limit/-Remaining/-Reset (also X-Rate-Limit-…, Rate-Limit-…, RateLimit-…) and the one-line RateLimit
// field of the IETF drafts, both generations. A quota for another window than a minute counts for its share of one;
// what is left of less than a minute is passed over, but for `exhausted`, and so is a quota for more than an hour. A
// reset given as a time is measured against `service_now`, the answer's Date. Unreadable values count as absent.
// `status`, `retry_after` and `requests_sent` are the caller's to fill.
AnswerFacts read_rate_limit(const HeaderLookup& header, Instant service_now);

}  // namespace shelfd::budget

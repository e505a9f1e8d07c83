// The canary: a cheap GET that tells whether a token works, and as whom.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"
#include "http/client.hpp"
#include "oauth/endpoint/canary_answer.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace shelfd::oauth {

// Nobody ever issued this one: the service must refuse it, or its answers prove nothing.
inline constexpr std::string_view wrong_token = "shelfd-asks-whether-a-wrong-token-is-refused";

struct CanarySpec {
    std::string url;             // whole, with its parameters
    std::string identity_field;  // member of the answer that names the library, "a.b" for a nested one; "" = none does
    std::string library_id;      // who it must be; "" = not known yet
    std::string setting = {};    // what a person corrects where the service has no such page: "identity.path"
    std::vector<http::Header> headers = {};  // of every request
};

struct CanaryReading {
    CanaryAnswer answer = CanaryAnswer::unreachable;
    std::string library_id;      // as the service says it; "" where nothing says so
    std::string text;            // one sentence; nothing secret
    bool misconfigured = false;  // unreachable for good: the service answers that there is no such page
    std::optional<Duration> retry_after;
    std::optional<Instant> service_date;
};

http::Request make_canary_request(const CanarySpec& spec, std::optional<Secret> token, const http::Route& route,
                                  const http::Timeouts& timeouts);

CanaryReading read_canary(const CanarySpec& spec, const Result<http::Response>& outcome, Instant now);

// Whether a set is taken in whose access token the canary answered so.
Result<void> check_reading(const CanaryReading& reading);

// What the WWW-Authenticate header of a 401 says about the token (RFC 6750 section 3).
enum class Challenge {
    not_bearer,  // not from a service that takes bearer tokens
    expired,     // the token's time is over
    invalid,     // the token is not known: replaced, revoked or never issued
    unspecific,
};
Challenge read_challenge(std::string_view www_authenticate);

}  // namespace shelfd::oauth

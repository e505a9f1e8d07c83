// The canary: a cheap GET that shows whether a token works, and for which library.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"
#include "base/state/trouble.hpp"
#include "http/client.hpp"
#include "oauth/endpoint/canary_answer.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace shelfd::oauth {

// A token that was never issued. If the service accepts it, the canary's answers prove nothing.
inline constexpr std::string_view wrong_token = "shelfd-asks-whether-a-wrong-token-is-refused";

struct CanarySpec {
    std::string url;             // complete, with its parameters
    std::string identity_field;  // member of the answer that identifies the library, "a.b" if nested; "" = none
    std::string library_id;      // the expected library; "" = not known yet
    std::string setting = {};    // key to correct if the page does not fit: "identity.path"
    std::vector<http::Header> headers = {};  // of each request
    std::string user_field = {};             // member of the answer that identifies the user of the token; "" = none
};

struct CanaryReading {
    CanaryAnswer answer = CanaryAnswer::unreachable;
    std::string library_id;                         // as the service reports it; "" if it does not
    std::string library_name;                       // member `name` beside it, for people; "" if there is none
    std::string user;                               // whose token it is; "" if the service does not say it
    std::string text;                               // one sentence; nothing secret
    TroubleSource source = TroubleSource::service;  // for throttled and unreachable
    bool misconfigured = false;  // permanently unreachable: no such page, a redirect, or no usable identity_field
    std::optional<Duration> retry_after;
    std::optional<Instant> service_date;
};

http::Request make_canary_request(const CanarySpec& spec, std::optional<Secret> token, const http::Route& route,
                                  const http::Timeouts& timeouts);

CanaryReading read_canary(const CanarySpec& spec, const Result<http::Response>& outcome, Instant now);

// As a user is shown and kept: "" for what does not identify one, such as text that is too long for that.
std::string usable_user(std::string text);

// Returns an error if a set whose access token got this answer must not be accepted: needs_person if the token is
// refused, forbidden or of another library; network if the canary gave no verdict.
Result<void> check_reading(const CanaryReading& reading);

// What the WWW-Authenticate header of a 401 says about the token (RFC 6750 section 3).
enum class Challenge {
    not_bearer,  // not from a service that takes bearer tokens
    expired,     // the token has expired
    invalid,     // the token is unknown: replaced, revoked or never issued
    unspecific,
};
Challenge read_challenge(std::string_view www_authenticate);

}  // namespace shelfd::oauth

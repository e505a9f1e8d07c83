#include "oauth/endpoint/canary.hpp"

#include "base/text.hpp"
#include "base/words/member_text.hpp"
#include "http/sample.hpp"
#include "http/trouble_source.hpp"
#include "oauth/endpoint/limit_facts.hpp"

#include <algorithm>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/core.h>

namespace shelfd::oauth {
namespace {

namespace json = boost::json;

// If no page identifies the library, a list is requested; its rows may nest as deep as the mirror accepts.
constexpr std::size_t deepest = 128;

json::value parse_body(const http::Response& response, json::error_code& error)
{
    json::parse_options options;
    options.max_depth = deepest;
    return json::parse(response.body, error, {}, options);
}

CanaryReading say(CanaryAnswer answer, std::string text)
{
    CanaryReading reading;
    reading.answer = answer;
    reading.text = std::move(text);
    return reading;
}

CanaryReading read_success(const CanarySpec& spec, const http::Response& response)
{
    json::error_code error;
    const auto value = parse_body(response, error);
    if (error) {
        return say(CanaryAnswer::unreachable, http::describe_not_json(response.status, response.body));
    }
    if (spec.identity_field.empty()) {
        return say(CanaryAnswer::ours, "the token is accepted");
    }
    auto id = member_text(value, spec.identity_field);
    if (id.empty() || id.size() > max_identity) {
        auto reading =
            say(CanaryAnswer::unreachable,
                fmt::format("HTTP {} at {} without a member {} that names the library by a text of at most {} "
                            "bytes or a whole number of at most 64 bits: check identity.field",
                            response.status, spec.url, spec.identity_field, max_identity));
        reading.misconfigured = true;
        return reading;
    }
    const auto fits = spec.library_id.empty() || spec.library_id == id;
    auto reading = fits ? say(CanaryAnswer::ours, "the token is accepted as library " + id)
                        : say(CanaryAnswer::wrong_library,
                              fmt::format("the token belongs to library {}, expected {}", id, spec.library_id));
    reading.library_id = std::move(id);
    auto name = member_text(value, member_beside(spec.identity_field, "name"));
    reading.library_name = name.size() > max_identity ? "" : std::move(name);
    reading.user = spec.user_field.empty() ? "" : usable_user(member_text(value, spec.user_field));
    return reading;
}

CanaryReading read_unauthorized(const http::Response& response)
{
    switch (read_challenge(response.joined("WWW-Authenticate"))) {
    case Challenge::not_bearer:
        return say(CanaryAnswer::unreachable, "HTTP 401 from a server that does not accept bearer tokens");
    case Challenge::invalid:
        return say(CanaryAnswer::refused_as_invalid, "the service says the access token is invalid");
    case Challenge::expired: return say(CanaryAnswer::refused, "the service says the access token has expired");
    case Challenge::unspecific: return say(CanaryAnswer::refused, "the service refuses the access token");
    }
    std::abort();
}

bool is_json(const http::Response& response)
{
    json::error_code error;
    parse_body(response, error);
    return !error;
}

// Redirects are not followed with a token. Other 3xx and 4xx, except those listed, do not pass without a correction.
bool is_misconfigured(int status)
{
    const bool passes = status == 401 || status == 403 || status == 408 || status == 425 || status == 429;
    return status >= 300 && status < 500 && !passes;
}

CanaryReading read_response(const CanarySpec& spec, const http::Response& response, const budget::AnswerFacts& facts)
{
    if (response.status >= 200 && response.status < 300) {
        return read_success(spec, response);
    }
    if (response.status == 401) {
        return read_unauthorized(response);
    }
    if (budget::tells_limit(facts)) {
        return say(CanaryAnswer::throttled, fmt::format("HTTP {}: rate limited by the service", response.status));
    }
    if (response.status == 403 && is_json(response)) {
        return say(CanaryAnswer::forbidden,
                   fmt::format("HTTP 403 at {}: the token may not request this {}", spec.url,
                               spec.identity_field.empty() ? "list" : "page, which names the library"));
    }
    if (is_misconfigured(response.status)) {
        const auto slash = response.status < 400 ? " (often the slash at its end)" : "";
        auto reading = say(CanaryAnswer::unreachable,
                           fmt::format("HTTP {} at {}: check {}{}", response.status, spec.url, spec.setting, slash));
        reading.misconfigured = true;
        return reading;
    }
    const auto busy = response.status == 503 && (facts.retry_after || !response.header("Retry-After").empty());
    return say(busy ? CanaryAnswer::throttled : CanaryAnswer::unreachable,
               fmt::format("the service answered {}", response.status));
}

}  // namespace

http::Request make_canary_request(const CanarySpec& spec, std::optional<Secret> token, const http::Route& route,
                                  const http::Timeouts& timeouts)
{
    http::Request request;
    request.url = spec.url;
    request.headers = spec.headers;
    request.bearer = std::move(token);
    request.route = route;
    request.timeouts = timeouts;
    request.max_body = 4u << 20;
    return request;
}

CanaryReading read_canary(const CanarySpec& spec, const Result<http::Response>& outcome, Instant now)
{
    if (!outcome) {
        auto reading = say(CanaryAnswer::unreachable, outcome.error().text());
        reading.source = http::source_of(outcome.error());
        return reading;
    }
    const auto facts = limit_facts(*outcome, now);
    const bool is_limited = budget::tells_limit(facts);
    auto reading = read_response(spec, *outcome, facts);
    reading.retry_after = is_limited ? budget::limit_wait(facts) : facts.retry_after;
    reading.service_date = http::service_date(*outcome);
    reading.source = is_limited ? TroubleSource::limit : TroubleSource::service;
    return reading;
}

std::string usable_user(std::string text)
{
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    const bool is_usable = text.size() <= max_identity && std::none_of(text.begin(), text.end(), is_control);
    return is_usable ? std::move(text) : std::string();
}

Result<void> check_reading(const CanaryReading& reading)
{
    constexpr const char* unchanged = "nothing was changed";
    switch (reading.answer) {
    case CanaryAnswer::ours: return {};
    case CanaryAnswer::wrong_library:
        return Error(ErrorKind::needs_person,
                     fmt::format("this set belongs to another library: {}; {}", reading.text, unchanged));
    case CanaryAnswer::refused:
    case CanaryAnswer::refused_as_invalid:
        return Error(ErrorKind::needs_person,
                     fmt::format("the access token in this set does not work ({}), so its library is "
                                 "unknown; ask the owner for a new set; {}",
                                 reading.text, unchanged));
    case CanaryAnswer::forbidden:
        return Error(ErrorKind::needs_person,
                     fmt::format("the set works, but it needs more scopes ({}); {}", reading.text, unchanged));
    case CanaryAnswer::throttled:
    case CanaryAnswer::unreachable:
        return Error(reading.misconfigured ? ErrorKind::protocol : ErrorKind::network,
                     fmt::format("the set could not be tested: {}; {}", reading.text, unchanged));
    }
    std::abort();
}

Challenge read_challenge(std::string_view www_authenticate)
{
    const auto text = lower(www_authenticate);
    if (text.find("bearer") == std::string::npos) {
        return Challenge::not_bearer;
    }
    if (text.find("expired") != std::string::npos) {
        return Challenge::expired;
    }
    const auto description = text.find("error_description");
    const auto says_invalid =
        description != std::string::npos && text.find("invalid", description) != std::string::npos;
    return says_invalid ? Challenge::invalid : Challenge::unspecific;
}

}  // namespace shelfd::oauth

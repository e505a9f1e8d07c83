#include "sync/service/page_answer.hpp"

#include "budget/limit_policies.hpp"
#include "http/sample.hpp"
#include "http/trouble_source.hpp"
#include "oauth/endpoint/limit_facts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace shelfd::sync {
namespace {

constexpr Duration longest_wait = std::chrono::hours(24);

bool looks_like_json(const http::Response& response)
{
    const auto begin = response.body.find_first_not_of(" \t\r\n");
    const bool is_open = begin != std::string::npos && (response.body[begin] == '{' || response.body[begin] == '[');
    return is_open || brings_no_row(response);
}

// A refusal by what is in front of the service.
bool is_from_front_end(const http::Response& response)
{
    // A service that names how to authenticate means the token, whatever else it sends (RFC 9110, 11.6.1).
    const bool is_refusal =
        response.status == 403 || (response.status == 401 && response.header("WWW-Authenticate").empty());
    return is_page_for_people(response) && is_refusal && !is_limited(response);
}

Answer misconfigured(std::string why, Cure cure)
{
    why.append("; ").append(cure.words());
    return {AnswerKind::misconfigured, std::move(why), TroubleSource::service, std::move(cure)};
}

Answer classify_not_found(const http::Response& response)
{
    if (response.body.find("\"Invalid page.\"") != std::string::npos && response.body.size() < 200) {
        return {AnswerKind::past_end, "the service has no such page"};
    }
    return misconfigured(fmt::format("the service has no such list ({})", response.status),
                         Cure(CureKind::check_address));
}

Answer classify_status(const http::Response& response)
{
    const int status = response.status;
    if (is_from_front_end(response)) {
        return {AnswerKind::passing,
                fmt::format("the service answered {} with a page for people instead of JSON, as a firewall or a proxy "
                            "in front of it does",
                            status)};
    }
    switch (status) {
    case 200:
    case 203:
    case 206:
        if (!looks_like_json(response)) {
            return {AnswerKind::passing, http::describe_not_json(status, response.body)};
        }
        return {AnswerKind::page, ""};
    case 202: return {AnswerKind::passing, "the service has accepted the request, but has no answer yet (202)"};
    case 204: return {AnswerKind::page, ""};
    default: break;
    }
    if (is_limited(response)) {
        return {AnswerKind::throttled, fmt::format("rate limited by the service ({})", status), TroubleSource::limit};
    }
    switch (status) {
    case 400:
        if (is_page_for_people(response)) {
            return {AnswerKind::bad_request,
                    "the service, or a proxy in front of it, answered 400 with a page for people instead of JSON"};
        }
        return {AnswerKind::bad_request,
                "the service does not accept a parameter of the request (400); check `params`, `ordering` and filters"};
    case 401: return {AnswerKind::unauthorized, "the access token was refused (401)"};
    case 403:
        return {AnswerKind::forbidden,
                "the service refuses this list to this token set (403): a scope or a permission is missing"};
    case 404:
    case 410: return classify_not_found(response);
    case 408: return {AnswerKind::passing, "the service timed out waiting for the request (408)"};
    case 503:
        // Without a readable wait, a 503 is an error like any other, with the daemon's own wait.
        if (http::retry_after(response, Instant())) {
            return {AnswerKind::throttled, "the service is unavailable for a while (503 with Retry-After)"};
        }
        break;
    default: break;
    }
    if (status >= 500) {
        return {AnswerKind::passing, fmt::format("the service answered {}", status)};
    }
    if (status >= 300 && status < 400) {
        return misconfigured(fmt::format("the service redirects this path ({})", status),
                             Cure("redirects are not followed with a token: check the slash at the end of `path`, and "
                                  "`base_url`"));
    }
    return misconfigured(fmt::format("the service does not accept the request ({})", status),
                         Cure("check `path` and `params`"));
}

}  // namespace

bool is_page_for_people(const http::Response& response)
{
    const auto begin = response.body.find_first_not_of(" \t\r\n");
    return begin != std::string::npos && response.body[begin] == '<';
}

bool is_not_found(int status)
{
    return status == 404 || status == 410;
}

bool brings_page(int status)
{
    return status == 200 || status == 203 || status == 204 || status == 206;
}

bool brings_no_row(const http::Response& response)
{
    constexpr std::string_view null = "null";
    const auto begin = response.body.find(null);
    return response.status == 204 ||
           (begin != std::string::npos && response.body.find_first_not_of(" \t\r\n") == begin &&
            response.body.find_first_not_of(" \t\r\n", begin + null.size()) == std::string::npos);
}

std::string& page_body(http::Response& response)
{
    if (brings_no_row(response)) {
        response.body = "[]";
    }
    return response.body;
}

Answer classify(const Result<http::Response>& outcome)
{
    if (!outcome) {
        // An unusable address: no request was sent, and none ever can be.
        const bool is_unusable = outcome.error().kind() == ErrorKind::usage;
        return {is_unusable ? AnswerKind::misconfigured : AnswerKind::passing, outcome.error().text(),
                http::source_of(outcome.error())};
    }
    return classify_status(*outcome);
}

bool is_limited(const http::Response& response)
{
    return budget::tells_limit(oauth::limit_facts(response, Instant()));
}

Duration closed_for(const http::Response& response, Instant now)
{
    const bool may_be_of_path =
        response.status == 503 || (budget::status_concerns_one_path(response.status) && is_limited(response));
    const auto wait = may_be_of_path ? http::retry_after(response, now) : std::nullopt;
    return wait ? std::clamp<Duration>(*wait, Duration(0), longest_wait) : Duration(0);
}

std::optional<Duration> limit_of_refusal(const http::Response& response, Instant now)
{
    const auto wait = response.status == 401 ? http::retry_after(response, now) : std::nullopt;
    // The limiter does not pause for a 401, so "Retry-After: 0" must not become a storm here.
    return wait ? std::optional(std::clamp<Duration>(*wait, std::chrono::seconds(1), longest_wait)) : std::nullopt;
}

bool denies_page(const Result<http::Response>& outcome)
{
    constexpr auto denials = std::to_array({400, 403, 404, 410, 413, 414, 416, 422});
    return outcome && std::find(denials.begin(), denials.end(), outcome->status) != denials.end() &&
           !is_limited(*outcome) && !is_from_front_end(*outcome);
}

bool refuses_question(const Result<http::Response>& outcome)
{
    switch (classify(outcome).kind) {
    case AnswerKind::page:
    case AnswerKind::unauthorized:
    case AnswerKind::throttled: return false;
    case AnswerKind::passing: return outcome && (outcome->status >= 500 || brings_page(outcome->status));
    case AnswerKind::past_end:
    case AnswerKind::forbidden:
    case AnswerKind::bad_request:
    case AnswerKind::misconfigured: break;
    }
    return true;
}

RowAnswer classify_row(const Result<http::Response>& outcome)
{
    if (!outcome) {
        return RowAnswer::unclear;
    }
    const auto begin = outcome->body.find_first_not_of(" \t\r\n");
    const bool object = begin != std::string::npos && outcome->body[begin] == '{';
    if (outcome->status >= 200 && outcome->status < 300) {
        return object ? RowAnswer::there : RowAnswer::unclear;
    }
    if (is_limited(*outcome)) {
        return RowAnswer::throttled;
    }
    if (outcome->status == 401) {
        return RowAnswer::unauthorized;
    }
    return is_not_found(outcome->status) && object ? RowAnswer::gone : RowAnswer::unclear;
}

Instant service_time(const http::Response& response, Instant otherwise, Instant now)
{
    // 2026: shelfd is not older. If our clock is a year ahead, a table must not look fresh for that year.
    constexpr auto first_release = Instant::from_seconds(1'767'225'600);
    const auto date = http::service_date(response);
    if (date && *date >= first_release && *date < now) {
        return *date;
    }
    return std::min(http::service_date_near(response, now).value_or(otherwise), now);
}

}  // namespace shelfd::sync

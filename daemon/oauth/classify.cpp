#include "oauth/classify.hpp"

#include <algorithm>
#include <array>

#include <fmt/core.h>

namespace shelfd::oauth {
namespace {

// Decided by the service before it looks at the refresh token (oauthlib: client, grant type, scope, then the token).
constexpr std::array<std::string_view, 5> unspent_errors = {"invalid_client", "invalid_request", "invalid_scope",
                                                            "unauthorized_client", "unsupported_grant_type"};

// A code goes into logs and status: only what looks like one (RFC 6749 section 5.2 allows little more).
std::string printable(std::string_view code)
{
    std::string text;
    for (const char c : code.substr(0, 40)) {
        text += (c >= 'a' && c <= 'z') || c == '_' ? c : '?';
    }
    return text;
}

Landed with(AnswerClass answer, std::string reason)
{
    Landed landed;
    landed.answer = answer;
    landed.reason = std::move(reason);
    return landed;
}

Landed rotated(AnswerClass answer, TokenAnswer tokens, std::string reason)
{
    auto landed = with(answer, std::move(reason));
    landed.tokens = std::move(tokens);
    return landed;
}

// Nobody knows what the service did. What the answer's beginning holds may decide it, or soften a loss.
Landed perhaps_rotated(const Arrived& arrived, AnswerClass answer, std::string reason)
{
    const auto may_hold_tokens = arrived.status == 0 || (arrived.status >= 200 && arrived.status < 300);
    auto saved = may_hold_tokens ? salvage_token_answer(arrived.body) : TokenAnswer();
    const auto answer_class = saved.refresh.empty() ? answer : AnswerClass::salvaged;
    return rotated(answer_class, std::move(saved), std::move(reason));
}

Landed classify_success(const Arrived& arrived)
{
    if (auto tokens = parse_token_answer(arrived.body)) {
        return rotated(AnswerClass::granted, std::move(*tokens), "the service answered with a new set");
    }
    return perhaps_rotated(arrived, AnswerClass::unclear,
                           fmt::format("HTTP {} without a readable token set", arrived.status));
}

}  // namespace

Landed classify(const Arrived& arrived)
{
    if (arrived.status == 0) {
        return perhaps_rotated(arrived, AnswerClass::unclear, "no answer came");
    }
    if (!arrived.complete) {
        return perhaps_rotated(arrived, AnswerClass::unclear, fmt::format("HTTP {}, cut short", arrived.status));
    }
    const auto error = parse_oauth_error(arrived.body);
    const auto said = error.empty() ? fmt::format("HTTP {}", arrived.status)
                                    : fmt::format("HTTP {}, {}", arrived.status, printable(error));
    if (arrived.status >= 500 || arrived.status == 429) {
        auto landed = arrived.status == 429 ? with(AnswerClass::throttled, said)
                                            : perhaps_rotated(arrived, AnswerClass::server_error, said);
        landed.retry_after = arrived.retry_after;
        return landed;
    }
    if (arrived.status == 408 || arrived.status == 425) {
        return perhaps_rotated(arrived, AnswerClass::unclear, said);
    }
    if (error == "invalid_grant") {
        return with(AnswerClass::denied, said);
    }
    // Codes of the authorization endpoint (RFC 6749 section 4.1.2.1) and of RFC 8628, which some answer here, too.
    if (error == "server_error" || error == "temporarily_unavailable") {
        auto landed = perhaps_rotated(arrived, AnswerClass::server_error, said);
        landed.retry_after = arrived.retry_after;
        return landed;
    }
    if (error == "slow_down") {
        auto landed = with(AnswerClass::throttled, said);
        landed.retry_after = arrived.retry_after;
        return landed;
    }
    if (std::find(unspent_errors.begin(), unspent_errors.end(), error) != unspent_errors.end()) {
        return with(AnswerClass::configuration, said);
    }
    if (arrived.status >= 200 && arrived.status < 300) {
        return classify_success(arrived);
    }
    // A 400 that is not the service's own may have been made by something in between, after the service acted.
    if (arrived.status == 400 && error.empty()) {
        return perhaps_rotated(arrived, AnswerClass::unclear, said);
    }
    return with(AnswerClass::configuration, said);
}

bool was_not_sent(const Error& error)
{
    return error.delivery == Delivery::not_sent;
}

const char* to_string(AnswerClass answer)
{
    switch (answer) {
    case AnswerClass::granted: return "granted";
    case AnswerClass::salvaged: return "salvaged";
    case AnswerClass::denied: return "denied";
    case AnswerClass::configuration: return "configuration";
    case AnswerClass::throttled: return "throttled";
    case AnswerClass::server_error: return "server_error";
    case AnswerClass::unclear: return "unclear";
    }
    std::abort();
}

}  // namespace shelfd::oauth

#include "oauth/endpoint/answer_class.hpp"

#include "base/text.hpp"
#include "oauth/set/answer_objects.hpp"
#include "oauth/set/token_scan.hpp"

#include <fmt/core.h>

namespace shelfd::oauth {
namespace {

// Codes go into logs and status: other characters than those of a code become "?" (RFC 6749 section 5.2 allows few).
std::string printable(std::string_view code)
{
    std::string text;
    for (const char c : code.substr(0, 40)) {
        text += (c >= 'a' && c <= 'z') || c == '_' ? c : '?';
    }
    return text;
}

ClassifiedAnswer with(AnswerClass answer, std::string reason)
{
    ClassifiedAnswer landed;
    landed.answer = answer;
    landed.reason = std::move(reason);
    return landed;
}

ClassifiedAnswer rotated(AnswerClass answer, TokenAnswer tokens, std::string reason)
{
    auto landed = with(answer, std::move(reason));
    landed.tokens = std::move(tokens);
    return landed;
}

bool is_success(int status)
{
    return status >= 200 && status < 300;
}

// For an answer after which the service may have rotated. Tokens in the answer may decide it, or mitigate a loss.
ClassifiedAnswer perhaps_rotated(const Arrived& arrived, AnswerClass answer, std::string reason)
{
    const auto may_hold_tokens = arrived.status == 0 || is_success(arrived.status);
    const auto ending = arrived.complete ? AnswerEnd::closed : AnswerEnd::open;
    auto saved = may_hold_tokens ? salvage_token_answer(arrived.body, ending) : TokenAnswer();
    const auto answer_class = saved.refresh.empty() ? answer : AnswerClass::salvaged;
    return rotated(answer_class, std::move(saved), std::move(reason));
}

// Gateways and portals send HTML pages.
bool may_hold_a_set(std::string_view body)
{
    const auto text = trimmed(without_byte_order_mark(trimmed(body)));
    return !text.empty() && text.front() != '<';
}

bool is_cut_json(std::string_view body)
{
    const auto text = trimmed(without_byte_order_mark(trimmed(body)));
    return (text.starts_with('{') || text.starts_with('[')) && !is_whole_answer(body);
}

ClassifiedAnswer without_a_set(const Arrived& arrived)
{
    auto landed = perhaps_rotated(arrived, AnswerClass::unclear,
                                  fmt::format("HTTP {} without a readable token set", arrived.status));
    if (landed.answer == AnswerClass::salvaged) {
        return landed;
    }
    landed.ambiguity = may_hold_a_set(arrived.body) ? Ambiguity::unreadable : Ambiguity::no_answer;
    if (is_cut_json(arrived.body)) {
        return landed;  // damaged on its way: another answer may be whole
    }
    if (auto tokens = scan_tokens(arrived.body); !tokens.refresh.empty()) {
        return rotated(AnswerClass::salvaged, std::move(tokens),
                       fmt::format("HTTP {} in another form than that of RFC 6749", arrived.status));
    }
    if (names_tokens(arrived.body)) {
        landed.ambiguity = Ambiguity::unread_set;
    }
    return landed;
}

// An OAuth error is the service's own verdict, whatever the status.
ClassifiedAnswer classify_error(const Arrived& arrived, const std::string& code)
{
    auto said = fmt::format("HTTP {}, {}", arrived.status, code);
    if (code == "invalid_grant") {
        return with(AnswerClass::denied, std::move(said));
    }
    // Some services use codes of the authorization endpoint (RFC 6749 section 4.1.2.1) and of RFC 8628 here.
    if (code == "server_error" || code == "temporarily_unavailable") {
        auto landed = perhaps_rotated(arrived, AnswerClass::server_error, std::move(said));
        landed.retry_after = arrived.retry_after;
        return landed;
    }
    auto landed = with(code == "slow_down" ? AnswerClass::throttled : AnswerClass::configuration, std::move(said));
    landed.retry_after = code == "slow_down" ? arrived.retry_after : Duration(0);
    return landed;
}

// The refusal may come from a gateway that sent it after the service had acted.
ClassifiedAnswer classify_refusal(const Arrived& arrived, const std::string& said)
{
    const auto code = said.empty() ? fmt::format("HTTP {}", arrived.status)
                                   : fmt::format("HTTP {}, {}", arrived.status, printable(said));
    if (arrived.status >= 500 || arrived.status == 429) {
        auto landed = with(arrived.status == 429 ? AnswerClass::throttled : AnswerClass::server_error, code);
        landed.retry_after = arrived.retry_after;
        landed.ambiguity = arrived.status == 429 ? Ambiguity::refusal : Ambiguity::no_answer;
        return landed;
    }
    if (arrived.status == 408 || arrived.status == 425) {
        return with(AnswerClass::unclear, code);
    }
    auto landed =
        with(AnswerClass::unclear, code + " without an OAuth error, from the service or a proxy in front of it");
    landed.ambiguity = Ambiguity::refusal;
    landed.retry_after = arrived.retry_after;  // some services report their limit with a 403
    return landed;
}

}  // namespace

ClassifiedAnswer classify(const Arrived& arrived)
{
    if (arrived.status == 0) {
        return perhaps_rotated(arrived, AnswerClass::unclear, "no answer arrived");
    }
    if (!arrived.complete) {
        return perhaps_rotated(arrived, AnswerClass::unclear, fmt::format("HTTP {}, cut short", arrived.status));
    }
    const auto error = parse_oauth_error(arrived.body);
    if (!error.code.empty()) {
        return classify_error(arrived, error.code);
    }
    if (!is_success(arrived.status)) {
        return classify_refusal(arrived, error.said);
    }
    if (auto tokens = parse_token_answer(arrived.body)) {
        return rotated(AnswerClass::granted, std::move(*tokens), "the service answered with a new set");
    }
    return without_a_set(arrived);
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

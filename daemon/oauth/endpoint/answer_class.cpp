#include "oauth/endpoint/answer_class.hpp"

#include "oauth/endpoint/arrived_set.hpp"

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

bool is_granted(int status)
{
    return status == 0 || is_success(status);
}

using Presented = ArrivedSet::Presented;
using Rest = ArrivedSet::Rest;

// A set that stands where none is expected.
ClassifiedAnswer salvaged(ArrivedSet::Pair pair, bool is_refusal, std::string reason)
{
    auto landed = rotated(AnswerClass::salvaged, std::move(pair.tokens), std::move(reason));
    landed.is_doubtful = is_refusal || !pair.is_named;
    return landed;
}

ClassifiedAnswer unread_set(const Arrived& arrived, const std::string& code)
{
    auto landed = with(AnswerClass::unclear, code + ", in an answer that names another refresh token");
    landed.ambiguity = Ambiguity::unread_set;
    landed.retry_after = arrived.retry_after;
    return landed;
}

// For an answer after which the service may have rotated. Tokens in the answer may decide it, or mitigate a loss.
ClassifiedAnswer perhaps_rotated(const Arrived& arrived, const ArrivedSet& set, AnswerClass answer, std::string reason)
{
    const auto ending = arrived.complete ? AnswerEnd::closed : AnswerEnd::open;
    const auto presented = is_granted(arrived.status) ? Presented::counts : Presented::is_echo;
    if (auto pair = set.find_pair(ending, presented)) {
        return salvaged(std::move(*pair), presented == Presented::is_echo, std::move(reason));
    }
    auto saved = presented == Presented::counts ? set.salvage(ending) : TokenAnswer();
    if (set.is_echo(saved)) {
        saved.refresh = Secret();
    }
    const auto answer_class = saved.refresh.empty() ? answer : AnswerClass::salvaged;
    return rotated(answer_class, std::move(saved), std::move(reason));
}

ClassifiedAnswer without_a_set(const Arrived& arrived, const ArrivedSet& set)
{
    auto landed = perhaps_rotated(arrived, set, AnswerClass::unclear,
                                  fmt::format("HTTP {} without a readable token set", arrived.status));
    if (landed.answer == AnswerClass::salvaged) {
        landed.reason = fmt::format("HTTP {} in another form than that of RFC 6749", arrived.status);
        return landed;
    }
    const auto rest = set.rest();
    landed.ambiguity = rest == Rest::set       ? Ambiguity::unread_set
                       : rest == Rest::nothing ? Ambiguity::no_answer
                                               : Ambiguity::unreadable;
    return landed;
}

// An OAuth error is the service's own verdict, whatever the status. Beside a whole set it is none, unless it says that
// the token we sent is dead.
ClassifiedAnswer classify_error(const Arrived& arrived, const ArrivedSet& set, const std::string& code)
{
    auto said = fmt::format("HTTP {}, {}", arrived.status, code);
    const bool is_denied = code == "invalid_grant";
    if (auto pair = is_denied ? std::nullopt : set.find_pair(AnswerEnd::closed, Presented::is_echo)) {
        return salvaged(std::move(*pair), true, std::move(said));
    }
    const bool has_other = set.names_new_refresh();
    if (is_denied) {
        auto landed = with(AnswerClass::denied, std::move(said));
        landed.ambiguity = has_other ? Ambiguity::unread_set : Ambiguity::no_answer;
        return landed;
    }
    // Some services use codes of the authorization endpoint (RFC 6749 section 4.1.2.1) and of RFC 8628 here.
    if (code == "server_error" || code == "temporarily_unavailable") {
        auto landed = perhaps_rotated(arrived, set, AnswerClass::server_error, std::move(said));
        landed.retry_after = arrived.retry_after;
        return landed;
    }
    if (has_other) {
        return unread_set(arrived, said);
    }
    auto landed = with(code == "slow_down" ? AnswerClass::throttled : AnswerClass::configuration, std::move(said));
    landed.retry_after = code == "slow_down" ? arrived.retry_after : Duration(0);
    return landed;
}

// The refusal may come from a gateway that sent it after the service had acted.
ClassifiedAnswer classify_refusal(const Arrived& arrived, const ArrivedSet& set, const std::string& said)
{
    const auto code = said.empty() ? fmt::format("HTTP {}", arrived.status)
                                   : fmt::format("HTTP {}, {}", arrived.status, printable(said));
    if (auto pair = set.find_pair(AnswerEnd::closed, Presented::is_echo)) {
        return salvaged(std::move(*pair), true, code + ", with a token set");
    }
    if (set.names_new_refresh()) {
        return unread_set(arrived, code);
    }
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
    const ArrivedSet set(arrived.body, arrived.presented);
    if (arrived.status == 0) {
        return perhaps_rotated(arrived, set, AnswerClass::unclear, "no answer arrived");
    }
    if (!arrived.complete) {
        return perhaps_rotated(arrived, set, AnswerClass::unclear, fmt::format("HTTP {}, cut short", arrived.status));
    }
    const auto error = set.find_error();
    if (!error.code.empty()) {
        return classify_error(arrived, set, error.code);
    }
    if (!is_success(arrived.status)) {
        return classify_refusal(arrived, set, error.said);
    }
    if (auto tokens = set.find_grant()) {
        return rotated(AnswerClass::granted, std::move(*tokens), "the service answered with a new set");
    }
    return without_a_set(arrived, set);
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

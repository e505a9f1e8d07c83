#include "sync/details/detail_answer.hpp"

#include "budget/limit_policies.hpp"
#include "oauth/endpoint/limit_facts.hpp"

#include <fmt/core.h>

#include <cstdlib>

namespace shelfd::sync {
namespace {

DetailHeard classify_wait(const http::Response& response, Answer answer, Instant now)
{
    const auto facts = oauth::limit_facts(response, now);
    const bool is_of_all = budget::tells_limit(facts) && !budget::status_concerns_one_path(facts.status);
    return {is_of_all ? DetailEvent::throttled : DetailEvent::closed, std::move(answer.why), answer.source,
            budget::limit_wait(facts).value_or(Duration(0))};
}

}  // namespace

DetailHeard classify_refusal(const http::Response& response, Instant now)
{
    if (const auto wait = limit_of_refusal(response, now)) {
        return {DetailEvent::closed, refusal_tells_limit, TroubleSource::limit, *wait};
    }
    return {DetailEvent::unauthorized, "the service refuses the token for this item only (401)"};
}

DetailHeard classify_detail(const Result<http::Response>& outcome, Instant now)
{
    if (classify_row(outcome) == RowAnswer::gone) {
        return {DetailEvent::gone, fmt::format("the service has no such item ({})", outcome->status)};
    }
    auto answer = classify(outcome);
    if (!outcome && answer.kind == AnswerKind::misconfigured) {
        return {DetailEvent::unusable, std::move(answer.why)};
    }
    switch (answer.kind) {
    case AnswerKind::page: return {DetailEvent::item, ""};
    case AnswerKind::unauthorized: return {DetailEvent::unauthorized, std::move(answer.why)};
    case AnswerKind::throttled: return classify_wait(*outcome, std::move(answer), now);
    case AnswerKind::passing: return {DetailEvent::passing, std::move(answer.why), answer.source};
    case AnswerKind::forbidden:
        return {DetailEvent::refused,
                "the service refuses this item to this token set (403): a scope or a permission is missing"};
    case AnswerKind::past_end:
    case AnswerKind::bad_request:
    case AnswerKind::misconfigured:
        return {DetailEvent::unusable,
                fmt::format("the service answers {} at the item's address; check `detail`", outcome->status)};
    }
    std::abort();
}

}  // namespace shelfd::sync

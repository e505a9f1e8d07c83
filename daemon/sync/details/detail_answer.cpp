#include "sync/details/detail_answer.hpp"

#include <fmt/core.h>

#include <cstdlib>

namespace shelfd::sync {

DetailHeard classify_detail(const Result<http::Response>& outcome)
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
    case AnswerKind::throttled: return {DetailEvent::throttled, std::move(answer.why), answer.source};
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

#include "control/causes/set_cause.hpp"

#include "control/causes/table_cause.hpp"
#include "control/model/reason.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::control {
namespace {

// What is wrong and what ends it, in words that are the same for every library.
std::string trouble_in_kind(const LibraryStatus& library)
{
    const auto& token = library.token;
    // The reason of a doubt changes with each try.
    const bool varies = token.state == TokenState::in_doubt;
    return fmt::format("{} {}; {}", to_string(token.state),
                       varies ? std::string() : reason_in_kind(token.reason, library.name, {}),
                       words_in_common(token.do_this, library.name, {}));
}

// When the access token ceased to work.
Instant stopped_at(const TokenStatus& token, Instant now)
{
    const auto since = token.since.value_or(now);
    const auto ended = token.expires_at && *token.expires_at <= now ? *token.expires_at : since;
    return std::min(std::max(since, ended), now);
}

}  // namespace

std::optional<CauseKind> kind_of_set(const TokenStatus& token)
{
    switch (token.state) {
    case TokenState::unreadable:
    case TokenState::none:
    case TokenState::lost:
    case TokenState::moved: return CauseKind::token_lost;
    case TokenState::foreign:
    case TokenState::copied: return CauseKind::foreign_rotation;
    case TokenState::wrong_library: return CauseKind::wrong_library;
    case TokenState::configuration:
    case TokenState::other_service: return CauseKind::application;
    case TokenState::unstored: return CauseKind::disk;
    case TokenState::ended:
    case TokenState::ends: return CauseKind::access_ends;
    case TokenState::blocked:
    case TokenState::in_doubt:
    case TokenState::refreshing:
    case TokenState::waiting:
    case TokenState::good: break;
    }
    const bool stands_still =
        !token.access_usable && (token.state == TokenState::waiting || token.state == TokenState::in_doubt);
    const bool is_journal = !token.journal_trouble.empty();
    return (token.needs_person && !is_journal) || stands_still ? std::optional(CauseKind::refresh) : std::nullopt;
}

bool is_unexpected_set(const TokenStatus& token)
{
    return token.state == TokenState::good && !token.needs_person && !token.reason.empty() && !token.do_this.empty();
}

bool waits_alone(const TokenStatus& token)
{
    return !token.needs_person && (token.state == TokenState::in_doubt || token.state == TokenState::waiting);
}

bool is_failing_endpoint(const TokenStatus& token, CauseKind kind)
{
    return kind == CauseKind::refresh && token.state == TokenState::in_doubt && !token.needs_person;
}

std::string scope_of_set(const LibraryStatus& library, CauseKind kind)
{
    const auto state = library.token.state;
    const bool is_of_machine = state == TokenState::unreadable || state == TokenState::copied;
    switch (kind) {
    case CauseKind::disk: return "";
    case CauseKind::application:
    case CauseKind::refresh: return library.origin + " " + trouble_in_kind(library);
    // Many sets of one service are missing, or were revoked, together. Their reasons change while that lasts.
    case CauseKind::token_lost:
    case CauseKind::foreign_rotation:
        return is_of_machine ? trouble_in_kind(library) : fmt::format("{} {}", library.origin, to_string(state));
    default: return is_of_machine ? trouble_in_kind(library) : library.name;
    }
}

std::string next_of_set(const TokenStatus& token)
{
    if (!token.next.empty()) {
        return token.next;
    }
    if (token.state == TokenState::wrong_library) {
        return "publishes nothing until then";
    }
    if (!token.access_usable && !token.deadline) {
        return "keeps the rows that are there, and requests none until then";
    }
    const auto ends = token.deadline ? token.deadline : token.expires_at;
    return ends ? "syncs until the access token ends at " + ends->to_short_text() : "continues to sync";
}

std::optional<Instant> deadline_of_set(const TokenStatus& token, Severity severity, Instant now)
{
    if (token.state == TokenState::wrong_library) {
        return token.since;  // nothing is published any more
    }
    const bool has_stopped =
        !token.access_usable && (waits_alone(token) || (token.needs_person && severity == Severity::page));
    return token.deadline || !has_stopped ? token.deadline : std::optional(stopped_at(token, now));
}

Severity severity_of_set(const TokenStatus& token, CauseKind kind, Instant now)
{
    if (kind == CauseKind::wrong_library || kind == CauseKind::disk) {
        return Severity::page;  // rows of somebody else, or a set that a power cut destroys
    }
    if (token.state == TokenState::none || token.state == TokenState::moved) {
        return Severity::ticket;  // as somebody wanted it
    }
    const auto is_near = token.deadline && *token.deadline - now <= page_within;
    return !token.access_usable || is_near ? Severity::page : Severity::ticket;
}

Severity severity_of_wait(const LibraryStatus& library, Instant now)
{
    const auto& token = library.token;
    // Whether lists answer cannot be seen without a token, so this is no outage that everybody notices.
    if (is_failing_endpoint(token, CauseKind::refresh) &&
        now - token.since.value_or(now) >= usual_patience(CauseKind::service)) {
        return Severity::page;
    }
    const bool has_ended = token.expires_at && *token.expires_at <= now;
    const auto& stands_since = has_ended ? token.expires_at : token.since;
    const auto& tables = library.resources;
    const bool lasts = stands_since && now - *stands_since >= long_without_answer;
    const bool any_late =
        std::any_of(tables.begin(), tables.end(), [now](const auto& one) { return is_late(one, now); });
    return any_late || lasts ? Severity::ticket : Severity::info;
}

}  // namespace shelfd::control

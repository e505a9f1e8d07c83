#include "control/causes/set_cause.hpp"

namespace shelfd::control {

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
    case CauseKind::refresh: return library.origin;
    default: return is_of_machine ? to_string(state) : library.name;
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

}  // namespace shelfd::control

#include "control/causes/set_cause.hpp"

#include <algorithm>
#include <map>

namespace shelfd::control {

std::string fact(const TokenStatus& token, std::string_view name)
{
    const auto found =
        std::find_if(token.facts.begin(), token.facts.end(), [&](const Fact& one) { return one.name == name; });
    return found == token.facts.end() ? "" : found->value;
}

std::optional<CauseKind> kind_of_set(const TokenStatus& token)
{
    static const std::map<std::string_view, CauseKind> kinds = {
        {"unreadable", CauseKind::token_lost},
        {"none", CauseKind::token_lost},
        {"lost", CauseKind::token_lost},
        {"moved", CauseKind::token_lost},
        {"foreign", CauseKind::foreign_rotation},
        {"copied", CauseKind::foreign_rotation},
        {"wrong_library", CauseKind::wrong_library},
        {"configuration", CauseKind::application},
        {"other_service", CauseKind::application},
        {"unstored", CauseKind::disk},
        {"ended", CauseKind::access_ends},
        {"ends", CauseKind::access_ends},
    };
    if (const auto found = kinds.find(token.state); found != kinds.end()) {
        return found->second;
    }
    const bool stands_still = !token.access_usable && (token.state == "waiting" || token.state == "in_doubt");
    const bool is_journal = !fact(token, "journal").empty();
    return (token.needs_person && !is_journal) || stands_still ? std::optional(CauseKind::refresh) : std::nullopt;
}

std::string scope_of_set(const LibraryStatus& library, CauseKind kind)
{
    const bool is_of_machine = library.token.state == "unreadable" || library.token.state == "copied";
    switch (kind) {
    case CauseKind::disk: return "";
    case CauseKind::application:
    case CauseKind::refresh: return library.origin;
    default: return is_of_machine ? library.token.state : library.name;
    }
}

Severity severity_of_set(const TokenStatus& token, CauseKind kind, Instant now)
{
    if (kind == CauseKind::wrong_library || kind == CauseKind::disk) {
        return Severity::page;  // rows of somebody else, or a set that a power cut destroys
    }
    if (token.state == "none" || token.state == "moved") {
        return Severity::ticket;  // as somebody wanted it
    }
    const auto is_near = token.deadline && *token.deadline - now <= page_within;
    return !token.access_usable || is_near ? Severity::page : Severity::ticket;
}

}  // namespace shelfd::control

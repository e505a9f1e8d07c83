#include "ctl/login/ask_letter.hpp"

#include "ctl/status/status_text.hpp"

#include <fmt/format.h>

#include <map>

namespace shelfd::ctl {
namespace {

using Words = std::map<std::string, std::string>;

std::string by_when(const LetterTemplate& letter, const std::optional<PresentAccess>& access, Instant now)
{
    if (!access) {
        return letter.sentence("when_unknown");
    }
    const auto* token = &access->token;
    if (token->state == TokenState::none) {
        return letter.sentence("when_none");
    }
    Words words{{"reason", letter.reason(token->state).value_or(token->reason)}};
    if (token->deadline) {
        words["deadline"] = token->deadline->to_short_text();
        words["ahead"] = ahead(token->deadline, now);
        return letter.fill_sentence("when_deadline", words);
    }
    if (!token->needs_person) {
        const Words lacked{{"lacked", fmt::format("{}", fmt::join(access->lacked_scopes, ", "))}};
        return !access->lacked_scopes.empty() && letter.has("when_lacking")
                   ? letter.fill_sentence("when_lacking", lacked)
                   : letter.sentence("when_any");
    }
    words["since"] = token->since ? token->since->to_short_text() : "";
    return letter.fill_sentence(token->since ? "when_since" : "when_now", words);
}

}  // namespace

std::string ask_letter(const LetterTemplate& letter, const config::Library& library,
                       const std::optional<PresentAccess>& access, Instant now)
{
    const auto& application = library.application;
    const auto name = application.name.empty() ? "" : fmt::format(" ({})", application.name);
    const auto scopes = library.wanted_scopes();
    const bool is_personal = application.token_kind == config::TokenKind::personal;
    const auto& contact = library.service.contact;
    const Words contacts{{"contact", contact}};
    return letter.fill(
        {{"library", library.name},
         {"auth_url", library.service.auth_url},
         {"client_id", application.client_id + name},
         {"kind", letter.sentence(is_personal ? "kind_personal" : "kind_service")},
         {"scopes", scopes.empty() ? letter.sentence("scopes_any") : fmt::format("{}", fmt::join(scopes, ", "))},
         {"when", by_when(letter, access, now)},
         {"contact", contact},
         {"questions", contact.empty() ? "" : letter.fill_sentence("questions", contacts)}});
}

PresentAccess access_of(const control::LibraryStatus& library)
{
    PresentAccess access{library.token, {}};
    for (const auto& resource : library.resources) {
        if (!resource.missing_scope.empty()) {
            access.lacked_scopes.insert(resource.missing_scope);
        }
    }
    return access;
}

bool needs_owner(const PresentAccess& access)
{
    const auto& token = access.token;
    return token.state == TokenState::none || token.needs_person || token.deadline.has_value() ||
           !access.lacked_scopes.empty();
}

}  // namespace shelfd::ctl

#include "ctl/login/ask_letter.hpp"

#include "ctl/status/status_text.hpp"

#include <fmt/format.h>

#include <map>

namespace shelfd::ctl {
namespace {

using Words = std::map<std::string, std::string>;

std::string by_when(const LetterTemplate& letter, const std::optional<control::TokenStatus>& token, Instant now)
{
    if (!token) {
        return letter.sentence("when_unknown");
    }
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
        return letter.sentence("when_any");
    }
    words["since"] = token->since ? token->since->to_short_text() : "";
    return letter.fill_sentence(token->since ? "when_since" : "when_now", words);
}

}  // namespace

std::string ask_letter(const LetterTemplate& letter, const config::Library& library,
                       const std::optional<control::TokenStatus>& token, Instant now)
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
         {"when", by_when(letter, token, now)},
         {"contact", contact},
         {"questions", contact.empty() ? "" : letter.fill_sentence("questions", contacts)}});
}

bool needs_owner(const control::TokenStatus& token)
{
    return token.state == TokenState::none || token.needs_person || token.deadline.has_value();
}

}  // namespace shelfd::ctl

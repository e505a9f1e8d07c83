#include "ctl/login/ask_letter.hpp"

#include "ctl/status/status_text.hpp"

#include <fmt/format.h>

namespace shelfd::ctl {
namespace {

std::string by_when(const std::optional<control::TokenStatus>& token, Instant now)
{
    if (!token) {
        return "As soon as it suits you. The state of the present token set is unknown here.";
    }
    if (token->state == TokenState::none) {
        return "As soon as it suits you: there is no token set yet, and nothing is copied without one.";
    }
    if (token->deadline) {
        return fmt::format(
            "Before {} ({}): the present access works until then; after that the copy is no longer updated.\n"
            "The reason: {}.",
            token->deadline->to_short_text(), ahead(token->deadline, now), token->reason);
    }
    if (token->needs_person) {
        const auto since = token->since ? fmt::format(" since {}", token->since->to_short_text()) : "";
        return fmt::format("Now, please: the copy is no longer updated{}.\nThe reason: {}.", since, token->reason);
    }
    return "There is no hurry: the present token set works. A new one takes its place without a gap.";
}

std::string scopes_of(const config::Library& library)
{
    const auto scopes = library.wanted_scopes();
    return scopes.empty() ? "those that allow reading (the configuration names none)"
                          : fmt::format("{}", fmt::join(scopes, ", "));
}

std::string kind_of(const config::Library& library)
{
    return library.application.token_kind == config::TokenKind::personal
               ? "a Personal Token, made by a user who may read everything that is to be copied"
               : "a Service Account Token: it belongs to the library, not to a person who may leave";
}

}  // namespace

std::string ask_letter(const config::Library& library, const std::optional<control::TokenStatus>& token, Instant now)
{
    const auto& application = library.application;
    const auto name = application.name.empty() ? "" : fmt::format(" ({})", application.name);
    const auto contact =
        library.service.contact.empty() ? "" : fmt::format("\nQuestions go to {}.\n", library.service.contact);
    return fmt::format(R"(Subject: a token set for the library {library}

We keep a copy of your library's data and need a token set for it, which only you can make. It takes five minutes.

Where
  1. Log in at {auth_url} as somebody who may change the settings of the library.
  2. Go to Library Settings, API Settings, Connected Applications.
  3. Find the application with the client ID {client_id}{name}. If it is not in the list, add it on the
     API Settings page first.
  4. Choose Manage tokens and make a new token.

What
  Kind:    {kind}
  Scopes:  {scopes}
  The page shows an access token and a refresh token. We need both.

By when
  {by_when}

How to hand it over
  Not by mail and not in a chat: whoever reads the refresh token can use it, once, and then we cannot.
  Best in a call, while one of us types: shelfctl auth import {library}
  Our program replaces the set at once, so that the tokens that you saw stop working a second later. Do not test
  the set before, and do not give it to another program: make one set for each program.
{contact})",
                       fmt::arg("library", library.name), fmt::arg("auth_url", library.service.auth_url),
                       fmt::arg("client_id", application.client_id), fmt::arg("name", name),
                       fmt::arg("kind", kind_of(library)), fmt::arg("scopes", scopes_of(library)),
                       fmt::arg("by_when", by_when(token, now)), fmt::arg("contact", contact));
}

}  // namespace shelfd::ctl

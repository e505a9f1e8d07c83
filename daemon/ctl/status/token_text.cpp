#include "ctl/status/token_text.hpp"

#include "ctl/screen/table.hpp"
#include "ctl/status/problem_list.hpp"
#include "ctl/status/status_text.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace shelfd::ctl {
namespace {

std::string dated(const char* name, const std::optional<Instant>& at, const std::string& relative)
{
    return at ? fmt::format("  {:<14} {} ({})\n", name, at->to_short_text(), relative) : "";
}

std::string state_text(const control::TokenStatus& token)
{
    if (token.state == TokenState::none) {
        return "no set yet";
    }
    if (token.state == TokenState::foreign) {
        return "used elsewhere";
    }
    if (token.state == TokenState::ends && token.expires_at) {
        return "ends at " + token.expires_at->to_short_text();
    }
    return spaced(to_string(token.state));
}

std::string access_text(const control::TokenStatus& token, Instant now)
{
    if (!token.expires_at) {
        return "";
    }
    return token.access_usable ? fmt::format("  {:<14} expires at {} ({})\n", "access token",
                                             token.expires_at->to_short_text(), ahead(token.expires_at, now))
                               : fmt::format("  {:<14} no longer works\n", "access token");
}

// When the first table becomes late if nobody acts: by the table's own delay, after the last possible pass.
std::optional<Instant> first_late(const control::LibraryStatus& library)
{
    std::optional<Instant> first;
    for (const auto& resource : library.resources) {
        if (is_at_rest(resource.state) || !resource.as_of || !resource.late_at) {
            continue;
        }
        const auto last_pass = library.token.deadline.value_or(*resource.as_of);
        const auto late = std::max(*resource.as_of, last_pass) + (*resource.late_at - *resource.as_of);
        first = std::min(first.value_or(late), late);
    }
    return first;
}

std::string lights_out(const control::LibraryStatus& library, Instant now)
{
    const auto& token = library.token;
    const bool waits = token.state == TokenState::in_doubt || token.state == TokenState::waiting;
    const bool is_dark = !token.access_usable && (token.needs_person || waits);
    if (!token.deadline && !is_dark) {
        return "";
    }
    auto text = is_dark ? std::string("now: nothing is synced")
                        : fmt::format("{} ({}): syncing stops unless a person acts", token.deadline->to_short_text(),
                                      ahead(token.deadline, now));
    if (const auto late = first_late(library)) {
        text += *late <= now ? "; some tables are already late"
                             : fmt::format("; the first table will be late at {}", late->to_short_text());
    }
    return fmt::format("  {:<14} {}\n", "deadline", text);
}

StyledText paragraph(const control::LibraryStatus& library, Instant now, const Terminal& terminal)
{
    const auto& token = library.token;
    auto text = terminal.paint(Colour::bold, library.name);
    text += ": ";
    text += terminal.paint(token.needs_person ? Colour::red : Colour::green, state_text(token));
    text += fmt::format(", generation {}", token.generation);
    text += token.since ? fmt::format(", since {}\n", token.since->to_short_text()) : "\n";
    if (!token.reason.empty()) {
        text += fmt::format("  {}\n", token.reason);
    }
    if (!token.next.empty()) {
        const bool waits_alone = token.state == TokenState::in_doubt && !token.needs_person && token.do_this.empty();
        text += fmt::format("  the daemon {}{}\n", token.next,
                            waits_alone && !library.contact.empty() ? "; if it lasts, tell " + library.contact : "");
    }
    text += fmt::format("  {:<14} {}{}\n", "library", library.library_id.empty() ? "unknown" : library.library_id,
                        library.identity_verified ? ", verified" : ", not verified");
    text += fmt::format("  {:<14} {}\n", "service", library.origin);
    if (token.kind) {
        text += fmt::format("  {:<14} {}\n", "kind",
                            *token.kind == control::TokenKind::personal
                                ? "personal token: it acts on the user's active library"
                                : "service account token");
    }
    text += access_text(token, now);
    text += dated("issued", token.last_refresh, ago(token.last_refresh, now));
    text += dated("next refresh", token.next_refresh, ahead(token.next_refresh, now));
    text += lights_out(library, now);
    for (const auto& [name, value] : token.facts) {
        text += fmt::format("  {}: {}\n", name, value);
    }
    if (!token.do_this.empty()) {
        text += "  do this: ";
        text += terminal.paint(Colour::bold, token.do_this);
        text += "\n";
    }
    return text;
}

// Not working, about to stop, in trouble that the daemon handles, ending as planned, well.
int rank_of(const control::TokenStatus& token)
{
    if (token.needs_person) {
        return token.access_usable ? 1 : 0;
    }
    return token.state == TokenState::ends ? 3 : token.reason.empty() ? 4 : 2;
}

std::string access_cell(const control::TokenStatus& token, Instant now)
{
    if (!token.access_usable) {
        return token.state == TokenState::none ? "-" : "does not work";
    }
    return token.expires_at ? "expires " + ahead(token.expires_at, now) : "-";
}

}  // namespace

StyledText token_text(const StatusView& status, const Terminal& terminal)
{
    StyledText text;
    for (const auto& library : status.libraries) {
        text += text.empty() ? "" : "\n";
        text += paragraph(library, status.now, terminal);
    }
    return text.empty() ? StyledText("no library is configured\n") : text;
}

StyledText token_table(const StatusView& status, const Terminal& terminal)
{
    std::vector<const control::LibraryStatus*> libraries;
    for (const auto& library : status.libraries) {
        libraries.push_back(&library);
    }
    const auto is_worse = [](const control::LibraryStatus* a, const control::LibraryStatus* b) {
        const auto first = rank_of(a->token);
        const auto second = rank_of(b->token);
        const bool both_end = a->token.deadline && b->token.deadline;
        return first != second ? first < second : both_end && *a->token.deadline < *b->token.deadline;
    };
    std::stable_sort(libraries.begin(), libraries.end(), is_worse);
    Table table({{"LIBRARY"}, {"TOKEN"}, {"SINCE"}, {"ACCESS TOKEN"}, {"NEXT REFRESH"}, {"WHY"}, {"DO THIS"}});
    for (const auto* library : libraries) {
        const auto& token = library->token;
        const auto next = token.needs_person ? "-" : ahead(token.next_refresh, status.now);
        table.add({{library->name},
                   {state_text(token), token.needs_person ? Colour::red : Colour::none},
                   {ago(token.since, status.now)},
                   {access_cell(token, status.now)},
                   {next},
                   {token.reason.empty() ? "-" : token.reason},
                   {token.do_this.empty() ? "-" : token.do_this}});
    }
    return libraries.empty() ? StyledText("no library is configured\n") : table.take(terminal);
}

}  // namespace shelfd::ctl

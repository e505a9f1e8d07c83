#include "ctl/status/problem_text.hpp"

#include "control/model/reason.hpp"
#include "ctl/status/status_text.hpp"

#include <fmt/format.h>

namespace shelfd::ctl {
namespace {

// What happens if nobody types anything.
std::string waiting_text(const Trouble& trouble, Instant now)
{
    const bool is_asked = !trouble.do_this.empty();
    std::string text = is_asked ? "  meanwhile the daemon " : "  nothing to do: the daemon ";
    if (!trouble.next.empty()) {
        text += trouble.next;
    } else if (trouble.next_try && trouble.last_try && *trouble.last_try > *trouble.next_try) {
        text += fmt::format("tries again {}, with the last of them at {} ({})",
                            *trouble.next_try <= now ? "now" : "from " + trouble.next_try->to_short_text() + " on",
                            trouble.last_try->to_short_text(), ahead(trouble.last_try, now));
    } else if (trouble.next_try) {
        text += *trouble.next_try <= now ? std::string("tries again now")
                                         : fmt::format("tries again at {} ({})", trouble.next_try->to_short_text(),
                                                       ahead(trouble.next_try, now));
    } else {
        text.clear();
    }
    if (!is_asked && !trouble.contact.empty()) {
        text += fmt::format("{}if it lasts, tell {}", text.empty() ? "  " : "; ", trouble.contact);
    }
    return text.empty() ? "" : text + "\n";
}

std::string deadline_text(const control::Affected& affected, Instant now)
{
    const auto& at = affected.deadline;
    if (!at) {
        return "";
    }
    const bool is_past = *at <= now;
    const auto when = is_past ? ago(at, now) : ahead(at, now);
    return control::is_deadline_of_table(affected)
               ? fmt::format("    first table late {}{}\n", is_past ? "since " : "",
                             is_past ? at->to_short_text() : when)
               : fmt::format("    syncing {} {}\n", is_past ? "stopped" : "stops", when);
}

}  // namespace

StyledText trouble_text(const Trouble& trouble, Instant now, const Terminal& terminal)
{
    auto text = terminal.paint(Colour::bold, trouble.who);
    if (!trouble.state.empty()) {
        text += ": ";
        text += terminal.paint(trouble.colour, trouble.state);
    }
    if (trouble.since) {
        text += fmt::format(", since {} ({})", trouble.since->to_short_text(), ago(trouble.since, now));
    }
    text += trouble.why.empty() ? "\n" : fmt::format(": {}\n", trouble.why);
    if (trouble.deadline && *trouble.deadline > now) {
        text += fmt::format("  {} at {} ({}) unless a person acts\n",
                            trouble.ends_for_all ? "syncing stops" : "the first of them stops syncing",
                            trouble.deadline->to_short_text(), ahead(trouble.deadline, now));
    }
    if (trouble.deadline && *trouble.deadline <= now && trouble.do_this.empty()) {
        text += fmt::format("  {} at {} ({})\n",
                            trouble.ends_for_all ? "syncing stopped" : "the first of them stopped syncing",
                            trouble.deadline->to_short_text(), ago(trouble.deadline, now));
    }
    if (trouble.late_at && *trouble.late_at > now) {
        text += fmt::format("  the first table is late at {} ({})\n", trouble.late_at->to_short_text(),
                            ahead(trouble.late_at, now));
    }
    if (!trouble.do_this.empty()) {
        text += trouble.for_each ? "  do this for each, as for the first: " : "  do this: ";
        text += terminal.paint(Colour::bold, trouble.do_this);
        const bool adopts = trouble.do_this.starts_with("if no other daemon uses this set: shelfctl auth adopt ");
        text += trouble.for_each && adopts ? "; or for all of them at once: shelfctl auth adopt --all\n" : "\n";
    }
    text += waiting_text(trouble, now);
    if (!trouble.do_this.empty() && !trouble.contact.empty()) {
        text += fmt::format("  contact: {}\n", trouble.contact);
    }
    text += trouble.note.empty() ? "" : fmt::format("  note: {}\n", trouble.note);
    text += trouble.id.empty() ? "" : fmt::format("  all of them: shelfctl status --problem {}\n", trouble.id);
    text += "\n";
    return text;
}

StyledText problem_text(const std::vector<control::Cause>& problems, Instant now, const Terminal& terminal)
{
    StyledText text;
    for (const auto& problem : problems) {
        text += fmt::format("{} {}{}: ", to_string(problem.kind), problem_id(problem),
                            problem.incident.empty() ? "" : ", incident " + problem.incident);
        text += terminal.paint(Colour::bold, title_of(problem.kind));
        const auto who = who_can_act(problem.kind);
        const auto act = who == "nobody" ? std::string("nobody has to act") : fmt::format("the {} can act", who);
        text += fmt::format("\n  {}, {}{}{}\n", to_string(problem.severity), act,
                            problem.since ? ", since " + problem.since->to_short_text() : "",
                            problem.contact.empty() ? "" : ", contact: " + problem.contact);
        for (const auto& one : problem.affected) {
            text += fmt::format("\n  {}", one.library.empty() ? "shelfd" : one.library);
            text += one.tables.empty() ? "" : fmt::format(": {}", fmt::join(one.tables, ", "));
            text += fmt::format("\n    {}\n", one.why.empty() ? "the reason is not known" : one.why);
            text += one.do_this.empty() ? "" : fmt::format("    do this: {}\n", one.do_this);
            text += one.next.empty() ? "" : fmt::format("    the daemon {}\n", one.next);
            text += one.next_try ? fmt::format("    next try: {}\n", ahead(one.next_try, now)) : "";
            // `next` says until when changes are kept for a consumer; syncing goes on.
            text += problem.kind == control::CauseKind::consumer_lag ? "" : deadline_text(one, now);
            const bool is_other = !one.contact.empty() && one.contact != problem.contact;
            text += is_other ? fmt::format("    contact: {}\n", one.contact) : "";
            text += one.note.empty() ? "" : fmt::format("    note: {}\n", one.note);
        }
        text += "\n";
    }
    return text;
}

}  // namespace shelfd::ctl

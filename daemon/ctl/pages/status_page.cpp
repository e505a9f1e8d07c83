#include "ctl/pages/status_page.hpp"

#include "base/words/safe_text.hpp"
#include "ctl/status/limit_text.hpp"
#include "ctl/status/problem_list.hpp"
#include "ctl/status/quiet_text.hpp"
#include "ctl/status/status_text.hpp"

#include <fmt/format.h>

namespace shelfd::ctl {
namespace {

constexpr std::string_view head = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="60">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>shelfd</title><style>
body { font: 15px/1.4 system-ui, sans-serif; margin: 2em; color: #222; background: #fff }
table { border-collapse: collapse } th, td { text-align: left; padding: .2em .9em .2em 0; border-bottom: 1px solid #ddd }
td.number { text-align: right } code { background: #f2f2f2; padding: .1em .3em }
section { border-left: .3em solid #c9a400; padding: .1em 1em; margin: 1em 0 } section.red { border-color: #b3261e }
.red { color: #b3261e } .yellow { color: #8a6d00 } .green { color: #1b6e2c } .dim { color: #777 }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818 } code { background: #333 }
th, td { border-color: #444 } .red { color: #ff8a80 } .yellow { color: #ffd54f } .green { color: #81c784 } }
</style></head><body>
)";

// Also safe inside an attribute.
std::string html(std::string_view text)
{
    std::string safe;
    for (const char c : escape_line(text)) {
        switch (c) {
        case '&': safe += "&amp;"; break;
        case '<': safe += "&lt;"; break;
        case '>': safe += "&gt;"; break;
        case '"': safe += "&quot;"; break;
        case '\'': safe += "&#39;"; break;
        default: safe += c;
        }
    }
    return safe;
}

const char* class_of(TableState state)
{
    return is_at_rest(state) ? "dim" : needs_somebody(state) ? "red" : state == TableState::fresh ? "green" : "yellow";
}

std::string section_of(const Trouble& trouble, Instant now)
{
    auto text = fmt::format(
        "<section class=\"{}\"><p><b>{}</b>{}{}{}</p>", trouble.colour == Colour::red ? "red" : "", html(trouble.who),
        trouble.state.empty() ? "" : ": " + html(trouble.state),
        trouble.since ? fmt::format(", since {} ({})", trouble.since->to_short_text(), ago(trouble.since, now)) : "",
        trouble.why.empty() ? "" : ": " + html(trouble.why));
    if (trouble.deadline && *trouble.deadline > now) {
        text += fmt::format("<p class=\"red\">syncing stops at {} ({}) unless a person acts</p>",
                            trouble.deadline->to_short_text(), ahead(trouble.deadline, now));
    }
    if (trouble.late_at && *trouble.late_at > now) {
        text += fmt::format("<p>the first table is late at {} ({})</p>", trouble.late_at->to_short_text(),
                            ahead(trouble.late_at, now));
    }
    if (!trouble.do_this.empty()) {
        text += fmt::format("<p>do this{}: <code>{}</code></p>", trouble.for_each ? " for each, as for the first" : "",
                            html(trouble.do_this));
    } else if (!trouble.next.empty()) {
        text += fmt::format("<p>nothing to do: the daemon {}</p>", html(trouble.next));
    } else if (trouble.next_try) {
        text += fmt::format("<p>nothing to do: the daemon tries again {}</p>", ahead(trouble.next_try, now));
    }
    text += trouble.contact.empty() ? "" : fmt::format("<p>contact: {}</p>", html(trouble.contact));
    text += trouble.note.empty() ? "" : fmt::format("<p>note: {}</p>", html(trouble.note));
    return text + "</section>\n";
}

std::string row_of(const std::string& library, const control::ResourceStatus& table, Instant now)
{
    return fmt::format("<tr><td>{}</td><td>{}</td><td class=\"{}\">{}</td><td class=\"number\">{}</td><td>{}</td>"
                       "<td>{}</td><td>{}</td></tr>\n",
                       html(library), html(table.name), class_of(table.state), spaced(to_string(table.state)),
                       table.rows, ago(table.as_of, now), ago(table.proven_as_of, now),
                       table.running ? html(progress_text(*table.running)) : next_text(table, now));
}

}  // namespace

std::string status_page(const StatusView& status)
{
    std::string page(head);
    page += fmt::format("<h1>{}</h1>\n<p class=\"dim\">shelfd {} at {}</p>\n",
                        html(status.headline.empty() ? "shelfd" : status.headline), html(status.version),
                        status.now.to_short_text());
    for (const auto& trouble : find_troubles(status)) {
        page += section_of(trouble, status.now);
    }
    for (const auto& line : limit_lines(status)) {
        page += fmt::format("<p class=\"yellow\">{}</p>\n", html(line));
    }
    page += "<table><tr><th>library</th><th>table</th><th>state</th><th>rows</th><th>as of</th><th>proven</th>"
            "<th>next pass</th></tr>\n";
    for (const auto& library : status.libraries) {
        for (const auto& table : library.resources) {
            page += row_of(library.name, table, status.now);
        }
    }
    return page + "</table></body></html>\n";
}

}  // namespace shelfd::ctl

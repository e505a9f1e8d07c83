#include "ctl/status/status_text.hpp"

#include "ctl/screen/table.hpp"
#include "ctl/status/limit_text.hpp"
#include "ctl/status/problem_list.hpp"
#include "ctl/status/problem_text.hpp"
#include "ctl/status/quiet_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace shelfd::ctl {
namespace {

// More are folded to one line, unless all are asked for.
constexpr std::size_t libraries_in_full = 8;

Colour colour_of(TableState state)
{
    if (is_at_rest(state)) {
        return Colour::dim;
    }
    return needs_somebody(state) ? Colour::red : state == TableState::fresh ? Colour::green : Colour::yellow;
}

Colour colour_of(const control::LibraryStatus& library)
{
    return library.bug ? Colour::red : colour_of(state_of(library));
}

// The oldest of its lists: a library is no fresher. Details are old by plan.
std::optional<Instant> last_sync(const control::LibraryStatus& library)
{
    std::optional<Instant> oldest;
    for (const auto& resource : library.resources) {
        if (is_at_rest(resource.state) || resource.detail || !resource.as_of) {
            continue;
        }
        oldest = std::min(oldest.value_or(*resource.as_of), *resource.as_of);
    }
    return oldest;
}

// Requests wait until a person has brought another set, whatever the schedule says.
bool is_stopped_by_set(const control::LibraryStatus& library)
{
    return library.token.needs_person && !library.token.access_usable;
}

std::string next_sync(const control::LibraryStatus& library, Instant now)
{
    if (is_stopped_by_set(library)) {
        return "-";
    }
    const control::ResourceStatus* next = nullptr;
    for (const auto& resource : library.resources) {
        if (resource.detail) {
            continue;
        }
        if (resource.running) {
            return "running";
        }
        if (resource.next_due && (next == nullptr || *resource.next_due < *next->next_due)) {
            next = &resource;
        }
    }
    return next == nullptr ? "-" : next_text(*next, now);
}

std::string token_cell(const control::TokenStatus& token, Instant now)
{
    if (token.needs_person) {
        return spaced(to_string(token.state)) + (token.deadline ? ", ends " + ahead(token.deadline, now) : "");
    }
    if (token.next_refresh) {
        const bool waits = token.state == TokenState::waiting || token.state == TokenState::in_doubt;
        return fmt::format("{}, {} {}", spaced(to_string(token.state)), waits ? "tries again" : "rotates",
                           ahead(token.next_refresh, now));
    }
    return spaced(to_string(token.state));
}

StyledText library_table(const StatusView& status, const Terminal& terminal)
{
    Table table({{"LIBRARY"}, {"STATE"}, {"ROWS", Align::right}, {"LAST SYNC"}, {"NEXT"}, {"TOKEN"}});
    for (const auto& library : status.libraries) {
        std::uint64_t rows = 0;
        for (const auto& resource : library.resources) {
            rows += resource.state == TableState::retired ? 0 : resource.rows;
        }
        table.add({{library.name},
                   {spaced(state_word(library)), colour_of(library)},
                   {std::to_string(rows)},
                   {ago(last_sync(library), status.now)},
                   {next_sync(library, status.now)},
                   {token_cell(library.token, status.now), library.token.needs_person ? Colour::red : Colour::none}});
    }
    return table.take(terminal);
}

// Rounded down: 100 % means all of them.
std::string details_cell(const control::DetailStatus& detail)
{
    auto text = fmt::format("{} % fetched", static_cast<int>(detail.share * 100));
    text += detail.pending > 0 ? fmt::format(", {} to fetch", detail.pending) : "";
    return text + (detail.gone > 0 ? fmt::format(", {} have none", detail.gone) : "");
}

std::string last_run_cell(const control::ResourceStatus& resource)
{
    if (resource.detail) {
        // They are published in batches: before the first one, the table shows nothing of what has arrived.
        const auto arrived = resource.running && resource.rows == 0 ? resource.running->rows : 0;
        const auto waits = arrived > 0 ? fmt::format("; {} arrived, and will be published in a moment", arrived) : "";
        return details_cell(*resource.detail) + waits;
    }
    if (resource.running) {
        return progress_text(*resource.running);
    }
    if (!resource.last_run) {
        return "-";
    }
    const auto& run = *resource.last_run;
    if (run.result != control::RunResult::published) {
        return fmt::format("{}: {}", to_string(run.result), run.error);
    }
    return fmt::format("+{} ~{} -{}, {}", run.added, run.changed, run.deleted, requests_text(run.requests));
}

StyledText resource_table(const StatusView& status, const Terminal& terminal)
{
    Table table(
        {{"LIBRARY"}, {"TABLE"}, {"STATE"}, {"ROWS", Align::right}, {"AS OF"}, {"PROVEN"}, {"NEXT"}, {"LAST PASS"}});
    for (const auto& library : status.libraries) {
        for (const auto& resource : library.resources) {
            table.add({{library.name},
                       {resource.name},
                       {spaced(to_string(resource.state)), colour_of(resource.state)},
                       {std::to_string(resource.rows)},
                       {ago(resource.as_of, status.now)},
                       {ago(resource.proven_as_of, status.now)},
                       {is_stopped_by_set(library) && !resource.running ? "-" : next_text(resource, status.now)},
                       {last_run_cell(resource)}});
        }
    }
    return table.take(terminal);
}

// "2 libraries need a person, 359 are fresh; shelfctl status --all lists them"
std::string fold_text(const StatusView& status)
{
    std::map<TableState, std::size_t> counts;
    for (const auto& library : status.libraries) {
        ++counts[state_of(library)];
    }
    std::string text;
    for (const auto& [state, count] : counts) {
        const auto what = state == TableState::needs_person
                              ? count == 1 ? "needs a person" : "need a person"
                              : fmt::format("{} {}", count == 1 ? "is" : "are", spaced(to_string(state)));
        text += text.empty() ? fmt::format("{} librar{} {}", count, count == 1 ? "y" : "ies", what)
                             : fmt::format(", {} {}", count, what);
    }
    return text + "; shelfctl status --all lists them\n";
}

// For ledgers: the time range that they cover.
std::string completeness(const StatusView& status)
{
    std::string text;
    for (const auto& library : status.libraries) {
        for (const auto& resource : library.resources) {
            if (resource.complete_from && resource.complete_to) {
                text += fmt::format("{} {} is complete from {} to {}\n", library.name, resource.name,
                                    resource.complete_from->to_short_text(), resource.complete_to->to_short_text());
            }
        }
    }
    return text.empty() ? "" : "\n" + text;
}

// The named consumers of the change feed.
std::string consumers_text(const StatusView& status)
{
    std::string text;
    for (const auto& library : status.libraries) {
        for (const auto& one : library.consumers) {
            const auto last = fmt::format("(last acknowledged at {} by {})", one.acknowledged_at.to_short_text(),
                                          one.acknowledged_by);
            if (one.must_read_tables) {
                text +=
                    fmt::format("{0} consumer {1} must read the tables again: changes after its position are not in "
                                "the feed any more, see: shelfctl changes {0} --consumer {1} {2}\n",
                                library.name, one.name, last);
                continue;
            }
            const auto lag = one.waiting == 0 ? std::string("has acknowledged all changes")
                                              : fmt::format("has not acknowledged {} change{}", one.waiting,
                                                            one.waiting == 1 ? "" : "s");
            const auto loaded = one.loaded.empty() ? ""
                                                   : fmt::format("; it must read these tables again, which received "
                                                                 "rows that are not in the change feed: {}",
                                                                 fmt::join(one.loaded, ", "));
            const auto since = one.waiting_since ? ", the oldest of " + one.waiting_since->to_short_text() : "";
            const auto kept = one.holds_back && one.kept_until
                                  ? "; they are kept for it until " + one.kept_until->to_short_text()
                                  : "";
            text += fmt::format("{} consumer {} {}{} {}{}{}\n", library.name, one.name, lag, since, last, kept, loaded);
        }
    }
    return text.empty() ? "" : "\n" + text;
}

}  // namespace

std::string ago(const std::optional<Instant>& at, Instant now)
{
    return at ? describe_duration(std::max(Duration(0), now - *at)) + " ago" : "-";
}

std::string ahead(const std::optional<Instant>& at, Instant now)
{
    if (!at) {
        return "-";
    }
    return *at <= now ? "now" : "in " + describe_duration(*at - now);
}

std::string requests_text(std::uint64_t count)
{
    return fmt::format("{} request{}", count, count == 1 ? "" : "s");
}

std::string progress_text(const control::Running& running)
{
    std::string text = to_string(running.phase);
    if (running.page > 0) {
        // A page number above the total means page 1 again, to see what has moved meanwhile.
        const bool known = running.pages >= running.page;
        text = known ? fmt::format("page {} of {}", running.page, running.pages) : fmt::format("page {}", running.page);
    }
    if (running.lists > 0) {
        text = fmt::format("list {} of {}, {}", running.list, running.lists, text);
    }
    if (running.rows > 0) {
        text += fmt::format(", {} rows", running.rows);
    }
    if (running.rows_per_second >= 1) {
        text += fmt::format(", {:.0f} rows/s", running.rows_per_second);
    }
    if (running.eta) {
        text += fmt::format(", {} left", describe_duration(*running.eta));
    }
    if (!running.note.empty()) {
        text += (text == "waiting" ? ": " : ", waiting: ") + running.note;
    } else if (running.waits_for_limit_since) {
        text += fmt::format(", waiting for the request limit {}since {}",
                            running.limit.empty() ? "" : "(" + running.limit + ") ",
                            running.waits_for_limit_since->to_short_text());
    }
    if (running.next_request_at) {
        text += ", the next request starts at " + running.next_request_at->to_short_text();
    }
    return text;
}

StyledText status_text(const StatusView& status, Detail detail, const Terminal& terminal)
{
    StyledText text;
    if (!status.headline.empty()) {
        text += status.headline + "\n\n";
    }
    for (const auto& trouble : find_troubles(status)) {
        text += trouble_text(trouble, status.now, terminal);
    }
    auto limits = limit_lines(status);
    const auto shared = shared_limit_lines(status);
    limits.insert(limits.end(), shared.begin(), shared.end());
    text += limits.empty() ? "" : fmt::format("{}\n\n", fmt::join(limits, "\n"));
    text += quiet_text(status);
    if (detail == Detail::trouble && status.libraries.size() > libraries_in_full) {
        text += fold_text(status);
    } else if (!status.libraries.empty()) {
        text += library_table(status, terminal);
    }
    if (detail == Detail::tables && !status.libraries.empty()) {
        text += "\n";
        text += resource_table(status, terminal);
        text += completeness(status);
        text += consumers_text(status);
    }
    return text;
}

}  // namespace shelfd::ctl

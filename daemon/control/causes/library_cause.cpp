#include "control/causes/library_cause.hpp"

#include "base/pause.hpp"
#include "control/causes/set_cause.hpp"
#include "control/causes/table_cause.hpp"
#include "control/causes/wal_cause.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace shelfd::control {
namespace {

constexpr Duration pause_is_news = std::chrono::seconds(30);
constexpr Duration repair_is_news = std::chrono::hours(24);

Finding of_library(const LibraryStatus& library, CauseKind kind, std::string scope, std::string why)
{
    Finding one{kind, std::move(scope)};
    one.library = library.name;
    one.why = std::move(why);
    return one;
}

bool is_paused(const LibraryStatus& library, Instant now)
{
    const auto& until = library.budget.paused_until;
    return until && *until - now >= pause_is_news;
}

// Its pass is due before the pause ends, and nothing else keeps it from being made.
bool is_kept_waiting(const ResourceStatus& table, Instant until)
{
    const auto trouble = trouble_of(table);
    const bool waits =
        trouble == Trouble::none || (trouble == Trouble::passing && table.source == TroubleSource::limit);
    return waits && !is_at_rest(table.state) && (table.running || (table.next_due && *table.next_due <= until));
}

// Of the library as a whole, and of each table that has to wait.
void add_pause(const LibraryStatus& library, std::vector<Finding>& found)
{
    const auto until = *library.budget.paused_until;
    auto whole = of_library(library, CauseKind::limit, library.budget.group, describe_pause(until));
    whole.origin = library.origin;
    whole.severity = Severity::info;
    whole.next_try = until;
    for (const auto& table : library.resources) {
        if (is_kept_waiting(table, until)) {
            auto one = whole;
            one.table = table.name;
            one.late_at = table.late_at;
            one.state = table.state;
            found.push_back(std::move(one));
        }
    }
    found.push_back(std::move(whole));
}

Finding find_snapshot(const LibraryStatus& library)
{
    const auto& snapshot = library.snapshot;
    const auto age =
        snapshot.made_at ? "the snapshot is of " + snapshot.made_at->to_short_text() : "there is no snapshot";
    auto one = of_library(library, CauseKind::snapshot, "", fmt::format("{}: {}", age, snapshot.trouble));
    one.do_this = "shelfctl snapshot " + library.name + ", after correcting that";
    one.next = "tries again within ten minutes";
    one.since = snapshot.since;
    return one;
}

Finding find_identity(const LibraryStatus& library)
{
    auto one = of_library(library, CauseKind::identity, library.origin, library.identity_trouble);
    one.origin = library.origin;
    one.do_this = "set identity = { path, field } of the service to a page that names the library and refuses a "
                  "wrong token, then: shelfctl reload";
    one.next = "continues, and keeps rows that a list no longer shows";
    return one;
}

// A working set, of which a person must know how it came into force: it is not the one that was imported last, or an
// old one.
Finding find_unexpected_set(const LibraryStatus& library)
{
    const auto& token = library.token;
    auto one = of_library(library, CauseKind::foreign_rotation, library.name, token.reason);
    one.severity = Severity::info;
    one.origin = library.origin;
    one.do_this = token.do_this;
    one.since = token.since;
    one.next = token.next;
    return one;
}

Finding find_repair(const LibraryStatus& library, const Repair& repair)
{
    auto one = of_library(library, CauseKind::repaired, library.name + " " + repair.at.to_text(), repair.text());
    one.severity = Severity::info;
    one.since = repair.at;
    one.momentary = true;
    return one;
}

// Then no setting raises it. (What narrows it otherwise is part of `rate_limit`.)
bool is_limit_of_service(const BudgetStatus& budget)
{
    return budget.configured && budget.limit < budget.configured &&
           budget.narrowed_by.starts_with("the answers of the service name");
}

}  // namespace

bool is_starved(const BudgetStatus& budget)
{
    return budget.limit && budget.needed > static_cast<double>(*budget.limit);
}

Finding find_starved(const LibraryStatus& library)
{
    const auto& budget = library.budget;
    // Rounded up: it is more than the limit.
    const auto needed = std::ceil(budget.needed * 10) / 10;
    auto why = fmt::format("the schedules need {:.1f} requests a minute, and the limit is {}{}{}", needed,
                           *budget.limit, budget.narrowed_by.empty() ? "" : ": ", budget.narrowed_by);
    auto one = of_library(library, CauseKind::schedule, library.origin, std::move(why));
    one.origin = library.origin;
    const auto contact = library.contact.empty() ? std::string("the operator of the service") : library.contact;
    one.do_this = is_limit_of_service(budget)
                      ? fmt::format("make passes less frequent (every), then: shelfctl reload; or ask {} for a higher "
                                    "limit; what needs how much: shelfctl plan {}",
                                    contact, library.name)
                      : fmt::format("make passes less frequent (every), or raise rate_limit if the service allows "
                                    "more, then: shelfctl reload; what needs how much: shelfctl plan {}",
                                    library.name);
    one.next = "sends what the limit allows, so some tables become late";
    return one;
}

bool waits_for_pause(const LibraryStatus& library, const ResourceStatus& table, Instant now)
{
    const auto& running = table.running;
    return running && is_paused(library, now) &&
           (running->waits_for_limit_since || (running->source == TroubleSource::limit && !running->note.empty()));
}

std::vector<Finding> find_of_library(const LibraryStatus& library, Instant now)
{
    std::vector<Finding> found;
    if (is_paused(library, now)) {
        add_pause(library, found);
    }
    if (is_starved(library.budget)) {
        found.push_back(find_starved(library));
    }
    if (!library.snapshot.trouble.empty()) {
        found.push_back(find_snapshot(library));
    }
    if (!library.identity_trouble.empty()) {
        found.push_back(find_identity(library));
    }
    if (is_unexpected_set(library.token)) {
        found.push_back(find_unexpected_set(library));
    }
    if (auto wal = find_pinned_wal(library, now)) {
        found.push_back(std::move(*wal));
    }
    for (const auto& repair : library.repairs) {
        if (now - repair.at <= repair_is_news) {
            found.push_back(find_repair(library, repair));
        }
    }
    return found;
}

}  // namespace shelfd::control

#include "control/causes/library_cause.hpp"

#include "base/pause.hpp"
#include "control/causes/set_cause.hpp"
#include "control/causes/wal_cause.hpp"

#include <fmt/format.h>

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

Finding find_pause(const LibraryStatus& library)
{
    const auto until = *library.budget.paused_until;
    auto one = of_library(library, CauseKind::limit, library.budget.group, describe_pause(until));
    one.origin = library.origin;
    one.severity = Severity::info;
    one.next_try = until;
    return one;
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

}  // namespace

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
        found.push_back(find_pause(library));
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

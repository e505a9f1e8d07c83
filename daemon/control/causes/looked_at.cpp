#include "control/causes/looked_at.hpp"

#include <algorithm>

namespace shelfd::control {
namespace {

// Users, directories and addresses that the daemon looks up by itself are looked up every minute.
constexpr Duration until_daemon_is_known = std::chrono::minutes(2);

// The first passes after a start may fail in another way than the one that needed somebody.
bool has_passed(const ResourceStatus& table)
{
    return table.passes > table.passes_failed;
}

bool have_passes(const LibraryStatus& library, const std::vector<std::string>& tables)
{
    const auto& all = library.resources;
    if (tables.empty()) {
        return std::any_of(all.begin(), all.end(), &has_passed);
    }
    return std::all_of(tables.begin(), tables.end(), [&all](const std::string& name) {
        const auto table = std::find_if(all.begin(), all.end(), [&name](const auto& one) { return one.name == name; });
        return table == all.end() || is_at_rest(table->state) || has_passed(*table);
    });
}

// Or nothing is to be shown: no pass is due.
bool has_shown(const ResourceStatus& table, Instant now)
{
    const bool is_due = table.running || (table.next_due && *table.next_due <= now);
    const bool is_read = table.running && (table.running->rows > 0 || table.running->stands_still);
    const bool is_stopped = table.trouble != Trouble::none && table.trouble != Trouble::passing;
    return table.detail || is_at_rest(table.state) || table.passes > 0 || !is_due || is_read || is_stopped;
}

}  // namespace

bool has_reported(const LibraryStatus& library, Instant now)
{
    const auto& all = library.resources;
    return library.bug || std::all_of(all.begin(), all.end(), [now](const auto& one) { return has_shown(one, now); });
}

bool is_looked_at(const Cause& cause, const Affected& affected, const Status& status)
{
    if (affected.library.empty()) {
        return cause.kind == CauseKind::daemon && status.now - status.started >= until_daemon_is_known;
    }
    const auto& all = status.libraries;
    const auto library =
        std::find_if(all.begin(), all.end(), [&affected](const auto& one) { return one.name == affected.library; });
    if (library == all.end() || library->bug || library->restart) {
        return false;
    }
    switch (cause.kind) {
    // Known as soon as the library is opened.
    case CauseKind::not_running:
    case CauseKind::journal_copy:
    case CauseKind::held:
    case CauseKind::late: return true;
    // Only a refresh shows that the service accepts the set, or another set that was issued after the trouble began.
    case CauseKind::token_lost:
    case CauseKind::foreign_rotation:
    case CauseKind::application:
    case CauseKind::refresh:
    case CauseKind::access_ends: {
        const auto& refreshed = library->token.last_refresh;
        return refreshed && (*refreshed >= status.started || (affected.since && *refreshed > *affected.since));
    }
    // Made at its own time.
    case CauseKind::snapshot: return false;
    default: return have_passes(*library, affected.tables);
    }
}

}  // namespace shelfd::control

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

}  // namespace

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
    // Only a refresh shows that the service accepts the set.
    case CauseKind::token_lost:
    case CauseKind::foreign_rotation:
    case CauseKind::application:
    case CauseKind::refresh:
    case CauseKind::access_ends: return library->token.last_refresh && *library->token.last_refresh >= status.started;
    // Made at its own time.
    case CauseKind::snapshot: return false;
    default: return have_passes(*library, affected.tables);
    }
}

}  // namespace shelfd::control

#include "control/causes/table_cause.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace shelfd::control {

Trouble trouble_of(const ResourceStatus& table)
{
    if (table.trouble != Trouble::none) {
        return table.trouble;
    }
    switch (table.state) {
    case State::wrong_library: return Trouble::wrong_library;
    case State::needs_person: return Trouble::needs_person;
    case State::forbidden: return Trouble::forbidden;
    default: return Trouble::none;
    }
}

bool is_late(const ResourceStatus& table, Instant now)
{
    return table.state == State::late || (table.late_at && *table.late_at <= now);
}

bool waits_for_other_table(const ResourceStatus& table)
{
    return table.state == State::filling && table.source == TroubleSource::parent;
}

Finding finding_of(const LibraryStatus& library, const ResourceStatus& table, CauseKind kind, std::string scope)
{
    Finding one{kind, std::move(scope)};
    one.origin = library.origin;
    one.library = library.name;
    one.table = table.name;
    one.why = table.why;
    one.do_this = table.do_this;
    one.since = table.since;
    one.late_at = table.late_at;
    one.state = table.state;
    one.next_try = table.running ? std::nullopt : table.next_due;
    one.next = table.running ? "is trying again now" : "";
    return one;
}

std::vector<Finding> find_conditions(const LibraryStatus& library, const ResourceStatus& table)
{
    std::vector<Finding> found;
    if (table.state == State::held) {
        auto one = finding_of(library, table, CauseKind::held, library.name);
        one.why = fmt::format("{} row{} of {} {} held: the service no longer lists {}", table.held,
                              table.held == 1 ? "" : "s", table.name, table.held == 1 ? "is" : "are",
                              table.held == 1 ? "it" : "them");
        one.next_try.reset();
        one.next = "keeps these rows, and continues with the others";
        found.push_back(std::move(one));
    }
    if (table.is_of_column) {
        auto one = finding_of(library, table, CauseKind::column_drift, library.origin + " " + table.name);
        one.next_try.reset();
        one.next = "continues as before; no value is lost";
        found.push_back(std::move(one));
    }
    if (table.filter) {
        // The same list of another library has the same filter: one cause for the service.
        auto one = finding_of(library, table, CauseKind::filter, library.origin + " " + table.name);
        one.why = table.filter->why;
        one.do_this = table.filter->do_this;
        one.since = table.filter->since;
        one.next_try.reset();
        one.next = "walks the whole list each time, which costs more requests";
        found.push_back(std::move(one));
    }
    return found;
}

void name_all_tables(const LibraryStatus& library, Affected& affected)
{
    affected.tables.clear();
    for (const auto& table : library.resources) {
        if (table.state != State::retired && table.state != State::paused) {
            affected.tables.push_back(table.name);
        }
    }
}

std::string ask_for_permissions(const LibraryStatus& library, const std::vector<std::string>& tables)
{
    std::set<std::string> scopes;
    std::vector<std::string> refused;
    for (const auto& name : tables) {
        const auto table = std::find_if(library.resources.begin(), library.resources.end(),
                                        [&name](const auto& one) { return one.name == name; });
        if (table != library.resources.end() && !table->missing_scope.empty()) {
            scopes.insert(table->missing_scope);
        } else {
            refused.push_back(name);
        }
    }
    std::string text;
    if (!scopes.empty()) {
        text = fmt::format("ask the owner of {} for a token set with the scope{} {}, then: shelfctl auth import {}",
                           library.name, scopes.size() == 1 ? "" : "s", fmt::join(scopes, ", "), library.name);
    }
    if (!refused.empty()) {
        text += fmt::format("{}ask the owner of {} for the scopes or permissions of {}, then: shelfctl sync {}",
                            text.empty() ? "" : "; ", library.name, fmt::join(refused, ", "), library.name);
    }
    return text;
}

}  // namespace shelfd::control

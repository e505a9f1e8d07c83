#include "control/causes/table_cause.hpp"

#include "control/model/reason.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>
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
        one.next = "keeps these rows, and continues with the others";
        found.push_back(std::move(one));
    }
    if (table.is_of_column) {
        auto one = finding_of(library, table, CauseKind::column_drift, library.origin + " " + table.name);
        one.next = "continues as before; no value is lost";
        found.push_back(std::move(one));
    }
    if (table.filter) {
        // What a service does with a filter, it does with that of other lists and libraries: one cause for the service.
        const auto reason = reason_in_kind(table.filter->why, library.name, {table.name});
        auto one = finding_of(library, table, CauseKind::filter, library.origin + " " + reason);
        one.why = table.filter->why;
        one.do_this = table.filter->do_this;
        one.since = table.filter->since;
        one.next = "walks the whole list each time, which costs more requests";
        found.push_back(std::move(one));
    }
    for (auto& one : found) {
        // Passes go on, and no table becomes late for such a reason.
        one.next_try.reset();
        one.late_at.reset();
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

std::string describe_disk(const ResourceStatus& table)
{
    constexpr std::string_view prefix = "cannot update the mirror: ";
    return table.why.starts_with(prefix) ? table.why.substr(prefix.size()) : table.why;
}

namespace {

const ResourceStatus* find_table(const LibraryStatus& library, const std::string& name)
{
    const auto found = std::find_if(library.resources.begin(), library.resources.end(),
                                    [&name](const auto& one) { return one.name == name; });
    return found == library.resources.end() ? nullptr : &*found;
}

}  // namespace

std::string ask_for_permissions(const LibraryStatus& library, const std::vector<std::string>& tables)
{
    std::set<std::string> scopes;
    std::vector<std::string> refused;
    for (const auto& name : tables) {
        const auto* const table = find_table(library, name);
        if (table != nullptr && !table->missing_scope.empty()) {
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

namespace {

void tell_held(const LibraryStatus& library, Affected& affected)
{
    std::uint64_t rows = 0;
    std::vector<std::string> counts;
    std::vector<std::string> commands;
    for (const auto& name : affected.tables) {
        const auto* const table = find_table(library, name);
        const auto held = table == nullptr ? 0 : table->held;
        rows += held;
        counts.push_back(fmt::format("{} {}", name, held));
        commands.push_back(fmt::format("shelfctl held {} {}", library.name, name));
    }
    affected.why = fmt::format("{} rows of {} tables are held ({}): the service no longer lists them", rows,
                               affected.tables.size(), fmt::join(counts, ", "));
    affected.do_this = fmt::format("to list them: {}; then repeat each with --keep if they exist, --accept if they "
                                   "were deleted",
                                   fmt::join(commands, "; "));
}

// "correct [resource.recipes] (and the same for stock), then: shelfctl reload".
std::string cure_of_all(const LibraryStatus& library, CauseKind kind, const std::vector<std::string>& tables)
{
    const auto cure_of = [&](const std::string& name) {
        const auto* const table = find_table(library, name);
        return table == nullptr                             ? std::string()
               : kind == CauseKind::filter && table->filter ? table->filter->do_this
                                                            : table->do_this;
    };
    auto text = cure_of(tables.front());
    const auto common = words_in_common(text, library.name, tables);
    std::vector<std::string> same;
    std::string others;
    for (std::size_t i = 1; i < tables.size(); ++i) {
        const auto cure = cure_of(tables[i]);
        if (cure.empty() || words_in_common(cure, library.name, tables) == common) {
            same.push_back(tables[i]);
        } else {
            others += fmt::format("; for {}: {}", tables[i], cure);
        }
    }
    if (!same.empty() && !text.empty()) {
        const auto block = fmt::format("[resource.{}]", tables.front());
        const auto at = text.find(block);
        text.insert(at == std::string::npos ? text.size() : at + block.size(),
                    fmt::format("{}{})", same_for, fmt::join(same, ", ")));
    }
    return text + others;
}

}  // namespace

void tell_of_all(const LibraryStatus& library, CauseKind kind, Affected& affected)
{
    if (affected.tables.size() < 2) {
        return;
    }
    switch (kind) {
    case CauseKind::permission: affected.do_this = ask_for_permissions(library, affected.tables); break;
    case CauseKind::held: tell_held(library, affected); break;
    case CauseKind::filter:
    case CauseKind::key_drift:
    case CauseKind::configuration: affected.do_this = cure_of_all(library, kind, affected.tables); break;
    default: break;
    }
}

}  // namespace shelfd::control

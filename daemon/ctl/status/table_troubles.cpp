#include "ctl/status/table_troubles.hpp"

#include "base/state/earliest.hpp"
#include "base/state/limit_notice.hpp"
#include "base/words/library_names.hpp"
#include "base/words/names.hpp"
#include "control/model/contacts.hpp"
#include "control/model/mask.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace shelfd::ctl {
namespace {

using control::Affected;
using control::Severity;

constexpr std::size_t named_tables = 8;

// The lines about limits say it.
bool waits_for_limit(const control::ResourceStatus& resource)
{
    return resource.state == TableState::filling && resource.trouble == shelfd::Trouble::none && resource.running &&
           resource.running->waits_for_limit_since && resource.why.starts_with(waits_for_limit_words);
}

// A table that is filling is in trouble only if there is a reason.
bool is_trouble(const control::ResourceStatus& resource)
{
    if (waits_for_limit(resource)) {
        return false;
    }
    if (resource.state == TableState::filling || resource.state == TableState::fresh) {
        return !resource.why.empty();
    }
    return !is_at_rest(resource.state);
}

using Tables = std::set<std::pair<std::string, std::string>>;

// The tables that a problem covers.
Tables covered_tables(const StatusView& status)
{
    Tables covered;
    for (const auto& problem : status.problems) {
        for (const auto& affected : problem.affected) {
            for (const auto& table : affected.tables) {
                covered.emplace(affected.library, table);
            }
        }
    }
    return covered;
}

// What is wrong with a table that is fresh and still in trouble.
std::string word_of(const control::ResourceStatus& table)
{
    return table.state != TableState::fresh ? spaced(to_string(table.state))
           : !table.do_this.empty()         ? ""  // its reason says it
           : table.detail                   ? "incomplete"
                                            : "not proven";
}

// Tables in the same trouble.
struct TableGroup {
    TableState state = TableState::fresh;
    std::vector<Affected> affected;
    std::optional<Instant> since;
    std::optional<Instant> next_try;
    bool is_running = false;
};

Trouble from_group(const TableGroup& group, std::string word)
{
    std::vector<const Affected*> affected;
    std::transform(group.affected.begin(), group.affected.end(), std::back_inserter(affected),
                   [](const auto& one) { return &one; });
    const auto& first = group.affected.front();
    Trouble trouble;
    const bool asks = needs_somebody(group.state);
    trouble.rank = rank_of(asks || group.state == TableState::late ? Severity::ticket : Severity::info);
    trouble.who = describe_who(affected);
    trouble.state = std::move(word);
    trouble.colour = asks ? Colour::red : Colour::yellow;
    trouble.why = first.why;
    trouble.do_this = first.do_this;
    trouble.for_each = std::any_of(group.affected.begin(), group.affected.end(),
                                   [&first](const auto& one) { return one.do_this != first.do_this; });
    const bool is_remark = group.state == TableState::fresh && !first.do_this.empty();
    if (is_remark) {
        trouble.next = "continues as before";
    } else if (group.is_running) {
        trouble.next = group.state == TableState::filling ? "is filling it now" : "is trying again now";
    }
    trouble.since = is_remark ? std::nullopt : group.since;
    trouble.next_try = is_remark ? std::nullopt : group.next_try;
    const bool is_of_service = group.state == TableState::fresh && !first.why.empty() && !is_remark;
    const auto contact = control::describe_contacts(group.affected);
    trouble.contact = is_remark ? "" : is_of_service && contact.empty() ? "the operator of the service" : contact;
    return trouble;
}

}  // namespace

std::vector<Trouble> find_table_troubles(const StatusView& status)
{
    const auto covered = covered_tables(status);
    std::map<std::tuple<TableState, std::string, std::string, std::string>, TableGroup> groups;
    for (const auto& library : status.libraries) {
        for (const auto& table : library.resources) {
            if (!is_trouble(table) || covered.contains({library.name, table.name})) {
                continue;
            }
            const auto alike = [&](const std::string& text) { return control::mask(text, library.name, {table.name}); };
            auto& group = groups[std::tuple(table.state, word_of(table), alike(table.why), alike(table.do_this))];
            auto& affected = group.affected;
            if (affected.empty() || affected.back().library != library.name) {
                affected.push_back({library.name, {}, table.why, table.do_this, std::nullopt, std::nullopt});
                affected.back().tables_in_all = library.resources.size();
            }
            affected.back().tables.push_back(table.name);
            group.state = table.state;
            // What a first load waits for is no fault of the service: such a fault is a problem.
            affected.back().contact = table.state != TableState::filling ? library.contact : "";
            // A pass that waits for the end of a pause sends nothing until then.
            const auto& pause = library.budget.paused_until;
            const bool is_paused = table.running && pause && *pause > status.now;
            group.is_running = group.is_running || (table.running && !is_paused);
            take_earlier(group.next_try, is_paused ? pause : table.next_due);
            // Since its newest proof it has not been proven.
            take_earlier(group.since,
                         table.since || table.state != TableState::fresh ? table.since : table.proven_as_of);
        }
    }
    std::vector<Trouble> troubles;
    for (const auto& [key, group] : groups) {
        troubles.push_back(from_group(group, std::get<1>(key)));
    }
    return troubles;
}

std::string describe_affected(const Affected& affected)
{
    const auto& tables = affected.tables;
    if (tables.empty()) {
        return affected.library.empty() ? "shelfd" : affected.library;
    }
    if (tables.size() == affected.tables_in_all && tables.size() > 1) {
        return fmt::format("{} (all {} tables)", affected.library, tables.size());
    }
    return fmt::format("{} {}", affected.library, list_some(tables, named_tables));
}

std::string describe_who(const std::vector<const Affected*>& affected)
{
    std::vector<std::string> names;
    if (affected.size() <= named_libraries) {
        for (const auto* one : affected) {
            names.push_back(describe_affected(*one));
        }
        return fmt::format("{}", fmt::join(names, "; "));
    }
    std::set<std::string> seen;
    for (const auto* one : affected) {
        if (seen.insert(one->library).second) {
            names.push_back(one->library);
        }
    }
    return name_libraries(names);
}

int rank_of(Severity severity)
{
    return static_cast<int>(Severity::page) - static_cast<int>(severity);
}

}  // namespace shelfd::ctl

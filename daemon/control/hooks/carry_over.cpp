#include "control/hooks/carry_over.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace shelfd::control {
namespace {

bool says_why_unread(CauseKind kind)
{
    return kind == CauseKind::service || kind == CauseKind::network || kind == CauseKind::permission ||
           kind == CauseKind::key_drift || kind == CauseKind::configuration;
}

bool affects(const Cause& cause, const std::string& library, const std::string& table)
{
    return std::any_of(cause.affected.begin(), cause.affected.end(), [&](const Affected& one) {
        return one.library == library && std::find(one.tables.begin(), one.tables.end(), table) != one.tables.end();
    });
}

bool is_taken(const Incident& incident, const std::string& library, const std::string& table,
              const std::vector<Cause>& causes)
{
    return std::any_of(causes.begin(), causes.end(), [&](const Cause& cause) {
        return may_become(incident.cause.kind, cause.kind) && affects(cause, library, table);
    });
}

// Whether `cause` affects one of its tables.
bool takes_tables_of(const Cause& cause, const Incident& incident)
{
    return may_become(incident.cause.kind, cause.kind) &&
           std::any_of(incident.cause.affected.begin(), incident.cause.affected.end(), [&cause](const Affected& one) {
               return std::any_of(one.tables.begin(), one.tables.end(),
                                  [&](const std::string& table) { return affects(cause, one.library, table); });
           });
}

}  // namespace

bool may_become(CauseKind former, CauseKind present)
{
    // Tables are late for no other reason only until the reason is known, not after it.
    const bool is_unread = (says_why_unread(former) || former == CauseKind::late) && says_why_unread(present);
    return is_unread || (former == present && former == CauseKind::filter);
}

bool is_listed(const std::vector<Cause>& causes, const std::string& key)
{
    return std::any_of(causes.begin(), causes.end(), [&key](const Cause& one) { return one.key == key; });
}

bool has_moved(const Incident& incident, const std::vector<Cause>& causes)
{
    const auto& cause = incident.cause;
    if (is_listed(causes, cause.key) || cause.momentary || incident.clear_since) {
        return false;
    }
    return std::all_of(cause.affected.begin(), cause.affected.end(), [&](const Affected& one) {
        return !one.tables.empty() && std::all_of(one.tables.begin(), one.tables.end(), [&](const std::string& table) {
            return is_taken(incident, one.library, table, causes);
        });
    });
}

std::vector<Incident>::iterator find_former(std::vector<Incident>& open, const Cause& cause,
                                            const std::vector<Cause>& causes, const std::set<std::string>& seen)
{
    return std::find_if(open.begin(), open.end(), [&](const Incident& one) {
        const bool is_known = seen.contains(one.cause.key) || one.cause.kind == cause.kind;
        return is_known && takes_tables_of(cause, one) && has_moved(one, causes);
    });
}

bool leave_out_well(Incident& incident, const std::vector<Cause>& causes)
{
    auto left = incident.cause.affected;
    bool is_less = false;
    for (auto& one : left) {
        const auto before = one.tables.size();
        std::erase_if(one.tables,
                      [&](const std::string& table) { return !is_taken(incident, one.library, table, causes); });
        is_less = is_less || one.tables.size() < before;
    }
    std::erase_if(left, [](const Affected& one) { return one.tables.empty(); });
    if (!is_less || left.empty()) {
        return false;
    }
    incident.cause.affected = std::move(left);
    return true;
}

void leave_out_taken(Incident& incident, const std::vector<Cause>& causes)
{
    // True if there were tables, and no table is left.
    const auto leave_out = [&](const std::string& library, auto& tables) {
        const auto count =
            std::erase_if(tables, [&](const std::string& table) { return is_taken(incident, library, table, causes); });
        return count > 0 && tables.empty();
    };
    for (auto one = incident.named.begin(); one != incident.named.end();) {
        one = leave_out(one->first, one->second) ? incident.named.erase(one) : std::next(one);
    }
    auto left = incident.cause.affected;
    std::erase_if(left, [&](Affected& one) { return leave_out(one.library, one.tables); });
    if (!left.empty()) {
        incident.cause.affected = std::move(left);
    }
}

}  // namespace shelfd::control

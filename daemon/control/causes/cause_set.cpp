#include "control/causes/cause_set.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace shelfd::control {
namespace {

void take_earlier(std::optional<Instant>& at, const std::optional<Instant>& other)
{
    at = at && other ? std::min(*at, *other) : at ? at : other;
}

}  // namespace

std::string CauseSet::add(Finding finding)
{
    auto key = fmt::format("{} {}", to_string(finding.kind), finding.scope);
    auto& cause = causes_[key];
    if (cause.key.empty()) {
        cause = Cause{key, finding.kind, finding.severity, finding.origin, finding.since, finding.momentary, {}};
    }
    cause.severity = std::max(cause.severity, finding.severity);
    take_earlier(cause.since, finding.since);
    if (cause.affected.empty() || cause.affected.back().library != finding.library) {
        cause.affected.push_back({finding.library, {}, finding.why, finding.do_this, finding.deadline, {}});
    }
    auto& affected = cause.affected.back();
    take_earlier(affected.deadline, finding.deadline);
    take_earlier(affected.next_try, finding.next_try);
    if (finding.state) {
        affected.state = std::min(affected.state.value_or(*finding.state), *finding.state);
    }
    affected.next = affected.next.empty() ? finding.next : affected.next;
    if (!finding.table.empty()) {
        add_table(key, finding.table, finding.late_at);
    }
    return key;
}

std::string CauseSet::add_as(CauseKind kind, Finding finding)
{
    auto key = add(std::move(finding));
    shown_as_[key] = kind;
    return key;
}

void CauseSet::add_table(const std::string& key, const std::string& table, const std::optional<Instant>& late_at,
                         const std::optional<Instant>& since)
{
    auto& cause = causes_.at(key);
    take_earlier(cause.since, since);
    auto& affected = cause.affected.back();
    affected.tables.push_back(table);
    take_earlier(affected.late_at, late_at);
}

std::string CauseSet::add_way(Finding finding, bool names_network)
{
    auto key = add(std::move(finding));
    network_share_[key] += names_network ? 1 : -1;
    return key;
}

std::vector<Cause> CauseSet::take() &&
{
    std::vector<Cause> causes;
    for (auto& [key, cause] : causes_) {
        if (const auto shown = shown_as_.find(key); shown != shown_as_.end()) {
            cause.kind = shown->second;
        }
        if (const auto share = network_share_.find(key); share != network_share_.end()) {
            cause.kind = share->second > 0 ? CauseKind::network : CauseKind::service;
        }
        causes.push_back(std::move(cause));
    }
    return causes;
}

}  // namespace shelfd::control

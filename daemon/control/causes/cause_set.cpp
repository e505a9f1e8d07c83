#include "control/causes/cause_set.hpp"

#include "base/state/earliest.hpp"
#include "control/model/contacts.hpp"
#include "control/model/reason.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace shelfd::control {
namespace {

// More would be a list instead of a sentence.
constexpr std::size_t told_reasons = 3;

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
    take_earlier(affected.since, finding.since);
    take_earlier(affected.deadline, finding.deadline);
    take_earlier(affected.next_try, finding.next_try);
    if (finding.state) {
        affected.state = std::min(affected.state.value_or(*finding.state), *finding.state);
    }
    affected.next = affected.next.empty() ? finding.next : affected.next;
    note_reason(key, finding);
    if (!finding.table.empty()) {
        add_table(key, finding.table, finding.late_at);
    }
    return key;
}

void CauseSet::note_reason(const std::string& key, const Finding& finding)
{
    if (finding.why.empty()) {
        return;
    }
    auto& reasons = reasons_[{key, finding.library}];
    auto kind = reason_in_kind(finding.why, finding.library, {finding.table});
    const auto same =
        std::find_if(reasons.begin(), reasons.end(), [&kind](const Reason& one) { return one.kind == kind; });
    auto& reason = same == reasons.end() ? reasons.emplace_back(Reason{std::move(kind), finding.why, {}}) : *same;
    if (!finding.table.empty()) {
        reason.tables.push_back(finding.table);
    }
}

void CauseSet::tell_reasons(const std::string& key, Cause& cause) const
{
    for (auto& affected : cause.affected) {
        const auto known = reasons_.find({key, affected.library});
        if (known == reasons_.end()) {
            continue;
        }
        const auto& reasons = known->second;
        for (std::size_t i = 1; i < std::min(told_reasons, reasons.size()); ++i) {
            const auto& tables = reasons[i].tables;
            affected.why +=
                fmt::format("; {}{}{}", fmt::join(tables, ", "), tables.empty() ? "" : ": ", reasons[i].why);
        }
        if (reasons.size() > told_reasons) {
            const auto more = reasons.size() - told_reasons;
            affected.why += fmt::format("; and {} more reason{}", more, more == 1 ? "" : "s");
        }
    }
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
    take_earlier(affected.since, since);
    if (std::find(affected.tables.begin(), affected.tables.end(), table) == affected.tables.end()) {
        affected.tables.push_back(table);
    }
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
        // Each pause has a time of its own, and no reason besides; held rows are counted for all tables.
        if (cause.kind != CauseKind::limit && cause.kind != CauseKind::held) {
            tell_reasons(key, cause);
        }
        sort_by_library(cause.affected);
        cause.contact = describe_contacts(cause.affected);
        causes.push_back(std::move(cause));
    }
    return causes;
}

}  // namespace shelfd::control

#include "config/bind/quiet_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::config {
namespace {

bool lies_in(std::chrono::minutes time, const TimeSpan& span)
{
    return span.from < span.to ? time >= span.from && time < span.to : time >= span.from || time < span.to;
}

const Node* find_nearest(const ScheduleTables& tables, std::string_view key)
{
    for (const auto* table : {tables.own, tables.shared, tables.defaults}) {
        if (const auto* node = table == nullptr ? nullptr : table->find(key)) {
            return node;
        }
    }
    return nullptr;
}

// `at`: the node of the times, `what`: the key that holds them.
void warn_of_times(const Node& at, std::string_view what, const std::vector<TimeSpan>& quiet, FaultList& faults)
{
    for (const auto& node : at.children) {
        const auto time = node.faulty ? std::nullopt : parse_time_of_day(node.text);
        const auto span = std::find_if(quiet.begin(), quiet.end(),
                                       [&time](const TimeSpan& one) { return time && lies_in(*time, one); });
        if (span != quiet.end()) {
            faults.warn(node.position,
                        fmt::format("{} {} lies in the quiet hours {}, so this pass begins at their "
                                    "end, {}: choose a time outside of them",
                                    what, node.text, format_time_span(*span), format_time_of_day(span->to)));
        }
    }
}

}  // namespace

void warn_of_quiet_times(const ScheduleTables& tables, const Resource& resource, const Service& service,
                         FaultList& faults)
{
    const auto quiet = merge_spans(service.quiet);
    if (!quiet || quiet->empty()) {
        return;
    }
    const auto* ordinary = find_nearest(tables, "at");
    if (ordinary != nullptr && !resource.schedule.at.empty() && resource.schedule.timezone == service.timezone) {
        warn_of_times(*ordinary, "at", *quiet, faults);
    }
    for (const auto& [key, schedule] : {std::pair("full", &resource.full), std::pair("settle", &resource.settle)}) {
        const auto* node = find_nearest(tables, key);
        const auto* at = node == nullptr || !*schedule ? nullptr : node->find("at");
        if (at != nullptr && (*schedule)->timezone == service.timezone) {
            warn_of_times(*at, fmt::format("{}.at", key), *quiet, faults);
        }
    }
}

}  // namespace shelfd::config

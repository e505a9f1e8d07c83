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

struct Quiet {
    std::vector<TimeSpan> spans;
    std::string whose;  // " of library liege", if they are its own; other libraries may share the times
};

// Where else the time can be written, if the table with `key` is shared with libraries that have other quiet hours.
std::string other_place(const ScheduleTables& tables, std::string_view key, const Resource& resource,
                        const Library& library, const Quiet& quiet)
{
    const bool is_own = tables.own != nullptr && tables.own->find(key) != nullptr;
    return quiet.whose.empty() || is_own
               ? ""
               : fmt::format("; for {0} alone: in [library.{0}.resource.{1}]", library.name, resource.name);
}

// `at`: the node of the times, `what`: the key that holds them.
void warn_of_times(const Node& at, std::string_view what, const Quiet& quiet, const std::string& place,
                   FaultList& faults)
{
    for (const auto& node : at.children) {
        const auto time = node.faulty ? std::nullopt : parse_time_of_day(node.text);
        const auto span = std::find_if(quiet.spans.begin(), quiet.spans.end(),
                                       [&time](const TimeSpan& one) { return time && lies_in(*time, one); });
        if (span != quiet.spans.end()) {
            faults.warn(node.position, fmt::format("{} {} lies in the quiet hours {}{}, so this pass begins at their "
                                                   "end, {}: choose a time outside of them{}",
                                                   what, node.text, format_time_span(*span), quiet.whose,
                                                   format_time_of_day(span->to), place));
        }
    }
}

}  // namespace

void warn_of_quiet_times(const ScheduleTables& tables, const Resource& resource, const Library& library,
                         FaultList& faults)
{
    const auto& service = library.service;
    const auto spans = merge_spans(service.quiet);
    if (!spans || spans->empty()) {
        return;
    }
    const bool is_own = tables.library->find("quiet") != nullptr;
    const Quiet quiet{*spans, is_own ? " of library " + library.name : ""};
    const auto* ordinary = find_nearest(tables, "at");
    if (ordinary != nullptr && !resource.schedule.at.empty() && resource.schedule.timezone == service.timezone) {
        warn_of_times(*ordinary, "at", quiet, other_place(tables, "at", resource, library, quiet), faults);
    }
    for (const auto& [key, schedule] : {std::pair("full", &resource.full), std::pair("settle", &resource.settle)}) {
        const auto* node = find_nearest(tables, key);
        const auto* at = node == nullptr || !*schedule ? nullptr : node->find("at");
        if (at != nullptr && (*schedule)->timezone == service.timezone) {
            warn_of_times(*at, fmt::format("{}.at", key), quiet, other_place(tables, key, resource, library, quiet),
                          faults);
        }
    }
}

}  // namespace shelfd::config

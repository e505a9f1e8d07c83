#include "control/metrics/resource_metrics.hpp"

#include "control/metrics/exposition.hpp"

#include <array>
#include <map>

namespace shelfd::control {
namespace {

struct Metric {
    std::string_view name;
    std::string_view type;
    std::string_view help;
    void (*add)(Family& family, const Labels& labels, const ResourceStatus& resource);
};

const std::array<Metric, 12> metrics = {{
    {"shelfd_resource_rows", "gauge", "Rows in the table",
     [](Family& f, const Labels& l, const ResourceStatus& s) { f.count(l, s.rows); }},
    {"shelfd_resource_held_rows", "gauge", "Rows missing from the list that wait for a person's decision",
     [](Family& f, const Labels& l, const ResourceStatus& s) { f.count(l, s.held); }},
    {"shelfd_resource_as_of_timestamp_seconds", "gauge", "Time of the service's data in the table",
     [](Family& f, const Labels& l, const ResourceStatus& s) { f.time(l, s.as_of); }},
    {"shelfd_resource_proven_as_of_timestamp_seconds", "gauge",
     "Time of the data for which the table was last proven complete",
     [](Family& f, const Labels& l, const ResourceStatus& s) { f.time(l, s.proven_as_of); }},
    {"shelfd_resource_late_timestamp_seconds", "gauge", "When the table is late unless it is published again",
     [](Family& f, const Labels& l, const ResourceStatus& s) { f.time(l, s.late_at); }},
    {"shelfd_resource_next_due_timestamp_seconds", "gauge", "When the next pass is planned",
     [](Family& f, const Labels& l, const ResourceStatus& s) { f.time(l, s.next_due); }},
    {"shelfd_resource_passes_total", "counter", "Passes that ended since the daemon started",
     [](Family& f, const Labels& l, const ResourceStatus& s) { f.count(l, s.passes); }},
    {"shelfd_resource_passes_failed_total", "counter", "Passes among these that published nothing",
     [](Family& f, const Labels& l, const ResourceStatus& s) { f.count(l, s.passes_failed); }},
    {"shelfd_resource_detail_share", "gauge", "Share of the rows whose detail is in the mirror",
     [](Family& f, const Labels& l, const ResourceStatus& s) {
         if (s.detail) {
             f.number(l, s.detail->share);
         }
     }},
    {"shelfd_resource_detail_pending", "gauge", "Rows whose detail is to be fetched next",
     [](Family& f, const Labels& l, const ResourceStatus& s) {
         if (s.detail) {
             f.count(l, s.detail->pending);
         }
     }},
    {"shelfd_resource_detail_oldest_timestamp_seconds", "gauge", "When the oldest detail was fetched",
     [](Family& f, const Labels& l, const ResourceStatus& s) {
         if (s.detail) {
             f.time(l, s.detail->oldest);
         }
     }},
    {"shelfd_resource_requests_total", "counter", "Requests sent for the table",
     [](Family& f, const Labels& l, const ResourceStatus& s) { f.count(l, s.requests); }},
}};

// The tables of one name in all libraries.
struct Tables {
    std::map<State, std::uint64_t> by_state;
    std::uint64_t rows = 0;
    std::uint64_t held = 0;
};

std::map<std::string_view, Tables> tables_by_name(const Status& status)
{
    std::map<std::string_view, Tables> all;
    for (const auto& library : status.libraries) {
        for (const auto& resource : library.resources) {
            auto& tables = all[resource.name];
            ++tables.by_state[resource.state];
            tables.rows += resource.rows;
            tables.held += resource.held;
        }
    }
    return all;
}

void add_sums(std::string& out, const Status& status)
{
    const auto all = tables_by_name(status);
    Family states(out, "shelfd_tables", "gauge",
                  "Libraries whose table of that name is in that state; a state without tables is absent");
    for (const auto& [name, tables] : all) {
        for (const auto& [state, count] : tables.by_state) {
            states.count({{"resource", name}, {"state", to_string(state)}}, count);
        }
    }
    Family rows(out, "shelfd_table_rows", "gauge", "Rows in the tables of that name, in all libraries");
    for (const auto& [name, tables] : all) {
        rows.count({{"resource", name}}, tables.rows);
    }
    Family held(out, "shelfd_table_held_rows", "gauge",
                "Rows of these tables, missing from their lists, that wait for a person's decision");
    for (const auto& [name, tables] : all) {
        held.count({{"resource", name}}, tables.held);
    }
}

bool is_noteworthy(const ResourceStatus& resource)
{
    return resource.state != State::fresh && !is_at_rest(resource.state);
}

// If very many tables are not fresh, their names help nobody, and the counts say what is wrong.
bool may_be_named(const Status& status)
{
    std::size_t noteworthy = 0;
    for (const auto& library : status.libraries) {
        for (const auto& resource : library.resources) {
            noteworthy += is_noteworthy(resource) ? 1 : 0;
        }
    }
    return noteworthy <= MetricsScope::max_named;
}

void add_states(std::string& out, const Status& status, const MetricsScope& scope)
{
    const bool named = may_be_named(status);
    Family(out, "shelfd_resource_states_complete", "gauge",
           "1 if every table that is not fresh has shelfd_resource_state; 0 if they are too many to be named")
        .count({}, named ? 1 : 0);
    Family states(out, "shelfd_resource_state", "gauge", "Always 1; the label is the state of the table");
    for (const auto& library : status.libraries) {
        for (const auto& resource : library.resources) {
            if (scope.has_details(library.name) || (named && is_noteworthy(resource))) {
                states.count(
                    {{"library", library.name}, {"resource", resource.name}, {"state", to_string(resource.state)}}, 1);
            }
        }
    }
}

}  // namespace

void add_resource_metrics(std::string& out, const Status& status, const MetricsScope& scope)
{
    add_sums(out, status);
    add_states(out, status, scope);
    for (const auto& metric : metrics) {
        Family family(out, metric.name, metric.type, metric.help);
        for (const auto& library : status.libraries) {
            if (!scope.has_details(library.name)) {
                continue;
            }
            for (const auto& resource : library.resources) {
                metric.add(family, {{"library", library.name}, {"resource", resource.name}}, resource);
            }
        }
    }
}

}  // namespace shelfd::control

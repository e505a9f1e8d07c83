#include "control/metrics/library_metrics.hpp"

#include "control/metrics/exposition.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace shelfd::control {
namespace {

// When a series is written.
enum class Written { always, abnormal, in_detail };

struct Metric {
    std::string_view name;
    std::string_view type;
    std::string_view help;
    Written written;
    void (*add)(Family& family, const Labels& labels, const LibraryStatus& library);
    // For `abnormal`: whether the value is one that a working library has.
    bool (*is_normal)(const LibraryStatus& library) = nullptr;
};

void add_tables_by_state(Family& family, const Labels& labels, const LibraryStatus& library)
{
    std::map<State, std::uint64_t> tables;
    for (const auto& resource : library.resources) {
        ++tables[resource.state];
    }
    for (const auto& [state, count] : tables) {
        family.count(with(labels, "state", to_string(state)), count);
    }
}

// The oldest data of the tables that are to advance; empty if one of them was never published.
std::optional<Instant> oldest_data(const LibraryStatus& library)
{
    std::optional<Instant> oldest;
    for (const auto& resource : library.resources) {
        if (is_at_rest(resource.state)) {
            continue;
        }
        if (!resource.as_of) {
            return std::nullopt;
        }
        oldest = std::min(oldest.value_or(*resource.as_of), *resource.as_of);
    }
    return oldest;
}

// Its own, unlike those of the limit group in `budget`.
std::uint64_t requests_of(const LibraryStatus& library)
{
    std::uint64_t sent = 0;
    for (const auto& one : library.requests) {
        sent += one.count;
    }
    return sent;
}

std::uint64_t failed_passes(const LibraryStatus& library)
{
    std::uint64_t failed = 0;
    for (const auto& resource : library.resources) {
        failed += resource.passes_failed;
    }
    return failed;
}

const std::array<Metric, 28> metrics = {{
    {"shelfd_library_state", "gauge", "Always 1; the label is the worst state of its tables, or restarting, or bug",
     Written::always,
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.count(with(l, "state", state_word(s)), 1); }},
    {"shelfd_library_resources", "gauge", "Tables in that state; a state without tables is absent", Written::always,
     add_tables_by_state},
    {"shelfd_library_as_of_timestamp_seconds", "gauge", "Oldest time of the data in one of its tables", Written::always,
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.time(l, oldest_data(s)); }},
    {"shelfd_library_passes_failed_total", "counter", "Passes that published nothing since the daemon started",
     Written::always, [](Family& f, const Labels& l, const LibraryStatus& s) { f.count(l, failed_passes(s)); }},
    {"shelfd_library_bug", "gauge", "1 while a bug of shelfd stops the passes of the library", Written::abnormal,
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.count(l, s.bug ? 1 : 0); },
     [](const LibraryStatus& s) { return !s.bug; }},
    {"shelfd_library_token_state", "gauge", "Always 1; the label is the state of the token set", Written::always,
     [](Family& f, const Labels& l, const LibraryStatus& s) {
         f.count(with(l, "state", to_string(s.token.state)), 1);
     }},
    {"shelfd_library_token_needs_person", "gauge", "1 if a person must repair the token set", Written::abnormal,
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.count(l, s.token.needs_person ? 1 : 0); },
     [](const LibraryStatus& s) { return !s.token.needs_person; }},
    {"shelfd_library_token_journal_copies", "gauge",
     "Copies of the token journal that contain the complete set; 2 is normal", Written::abnormal,
     [](Family& f, const Labels& l, const LibraryStatus& s) {
         f.count(l, static_cast<std::uint64_t>(s.token.journal_copies));
     },
     [](const LibraryStatus& s) { return s.token.journal_copies == 2; }},
    {"shelfd_library_token_generation", "gauge", "Generation of the token set", Written::in_detail,
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.count(l, s.token.generation); }},
    {"shelfd_library_token_expiry_timestamp_seconds", "gauge", "When the access token expires", Written::always,
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.time(l, s.token.expires_at); }},
    {"shelfd_library_token_deadline_timestamp_seconds", "gauge", "When syncing stops unless a person acts",
     Written::always, [](Family& f, const Labels& l, const LibraryStatus& s) { f.time(l, s.token.deadline); }},
    {"shelfd_library_token_last_refresh_timestamp_seconds", "gauge", "Last refresh of the token set",
     Written::in_detail, [](Family& f, const Labels& l, const LibraryStatus& s) { f.time(l, s.token.last_refresh); }},
    {"shelfd_library_token_next_refresh_timestamp_seconds", "gauge", "Next planned refresh of the token set",
     Written::in_detail, [](Family& f, const Labels& l, const LibraryStatus& s) { f.time(l, s.token.next_refresh); }},
    {"shelfd_token_refreshes_total", "counter", "Exchanges with the token endpoint by outcome", Written::in_detail,
     [](Family& f, const Labels& l, const LibraryStatus& s) {
         for (const auto& refresh : s.token.refreshes) {
             f.count(with(l, "outcome", refresh.outcome), refresh.count);
         }
     }},
    {"shelfd_token_refresh_attempts_total", "counter", "Exchanges with the token endpoint that were started",
     Written::always, [](Family& f, const Labels& l, const LibraryStatus& s) { f.count(l, s.token.refresh_attempts); }},
    {"shelfd_token_answer_to_durable_seconds", "histogram",
     "From the last byte of the token endpoint's answer until it was on disk", Written::in_detail,
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.histogram(l, s.token.answer_to_durable); }},
    {"shelfd_library_requests_total", "counter", "Requests sent to the service", Written::always,
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.count(l, requests_of(s)); }},
    {"shelfd_requests_total", "counter",
     "Requests sent to the service by reason; an empty resource means that they served the whole library",
     Written::in_detail,
     [](Family& f, const Labels& l, const LibraryStatus& s) {
         for (const auto& one : s.requests) {
             f.count(with(with(l, "resource", one.resource), "reason", one.reason), one.count);
         }
     }},
    {"shelfd_library_snapshot_timestamp_seconds", "gauge", "When the last snapshot was made", Written::in_detail,
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.time(l, s.snapshot.made_at); }},
    {"shelfd_library_snapshot_failed", "gauge", "1 when the last planned snapshot could not be made", Written::abnormal,
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.count(l, s.snapshot.trouble.empty() ? 0 : 1); },
     [](const LibraryStatus& s) { return s.snapshot.trouble.empty(); }},
    {"shelfd_library_budget_limit", "gauge", "Requests a minute the limit group may send", Written::always,
     [](Family& f, const Labels& l, const LibraryStatus& s) {
         if (s.budget.limit) {
             f.count(l, *s.budget.limit);
         }
     }},
    {"shelfd_library_budget_group", "gauge", "1; the label group names the limit that the library shares with others",
     Written::abnormal,
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.count(with(l, "group", s.budget.group), 1); },
     [](const LibraryStatus& s) { return s.budget.libraries.empty(); }},
    {"shelfd_library_budget_used", "gauge", "Requests of the limit group that count against its limit now",
     Written::always, [](Family& f, const Labels& l, const LibraryStatus& s) { f.count(l, s.budget.used); }},
    {"shelfd_library_budget_foreign", "gauge", "Requests of the limit that other programs use, by the service's count",
     Written::abnormal, [](Family& f, const Labels& l, const LibraryStatus& s) { f.count(l, s.budget.foreign); },
     [](const LibraryStatus& s) { return s.budget.foreign == 0; }},
    {"shelfd_library_budget_paused_until_timestamp_seconds", "gauge",
     "Until when the service asked to be sent no request", Written::always,
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.time(l, s.budget.paused_until); }},
    {"shelfd_library_requests_in_flight", "gauge", "Requests waiting for an answer", Written::in_detail,
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.count(l, s.budget.in_flight); }},
    {"shelfd_consumer_waiting_changes", "gauge", "Changes that a named consumer has not acknowledged", Written::always,
     [](Family& f, const Labels& l, const LibraryStatus& s) {
         for (const auto& consumer : s.consumers) {
             f.count(with(l, "consumer", consumer.name), consumer.waiting);
         }
     }},
    {"shelfd_library_wal_bytes", "gauge", "Size of the mirror's write-ahead log", Written::in_detail,
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.count(l, s.wal_bytes); }},
}};

bool is_written(const Metric& metric, const LibraryStatus& library)
{
    return metric.written == Written::always || (metric.written == Written::abnormal && !metric.is_normal(library));
}

}  // namespace

void add_library_metrics(std::string& out, const Status& status, const MetricsScope& scope)
{
    for (const auto& metric : metrics) {
        Family family(out, metric.name, metric.type, metric.help);
        for (const auto& library : status.libraries) {
            if (scope.has_details(library.name) || is_written(metric, library)) {
                metric.add(family, {{"library", library.name}}, library);
            }
        }
    }
}

}  // namespace shelfd::control

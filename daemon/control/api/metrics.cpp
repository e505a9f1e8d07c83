#include "control/api/metrics.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace shelfd::control {
namespace {

using Labels = std::vector<std::pair<std::string_view, std::string>>;

// Label values are configured names and words of the daemon, but a version or an outcome may contain anything.
std::string escaped(std::string_view value)
{
    std::string text;
    for (const char c : value) {
        switch (c) {
        case '\\': text += "\\\\"; break;
        case '"': text += "\\\""; break;
        case '\n': text += "\\n"; break;
        default: text += c;
        }
    }
    return text;
}

// All samples of one metric, which the format wants together under one HELP and TYPE. Unknown values are no samples;
// without samples nothing is written.
class Family {
public:
    Family(std::string& out, std::string_view name, std::string_view type, std::string_view help)
        : out_(out), name_(name), type_(type), help_(help)
    {
    }

    void count(const Labels& labels, std::uint64_t value) { write(labels, fmt::format("{}", value)); }
    void number(const Labels& labels, double value) { write(labels, fmt::format("{:.6g}", value)); }
    void time(const Labels& labels, const std::optional<Instant>& at)
    {
        if (at) {
            const auto millis = at->micros() / 1'000 - at->seconds() * 1'000;
            write(labels, fmt::format("{}.{:03}", at->seconds(), millis));
        }
    }
    void histogram(const Labels& labels, const Histogram& histogram)
    {
        auto bounded = labels;
        bounded.emplace_back("le", "");
        for (const auto& one : histogram.classes) {
            bounded.back().second = fmt::format("{}", std::chrono::duration<double>(one.bound).count());
            write(bounded, fmt::format("{}", one.count), "_bucket");
        }
        bounded.back().second = "+Inf";
        write(bounded, fmt::format("{}", histogram.count), "_bucket");
        write(labels, fmt::format("{:.6f}", std::chrono::duration<double>(histogram.sum).count()), "_sum");
        write(labels, fmt::format("{}", histogram.count), "_count");
    }

private:
    void write(const Labels& labels, const std::string& value, std::string_view suffix = "")
    {
        if (!begun_) {
            begun_ = true;
            out_ += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name_, help_, type_);
        }
        out_ += name_;
        out_ += suffix;
        for (std::size_t i = 0; i < labels.size(); ++i) {
            out_ += fmt::format("{}{}=\"{}\"", i > 0 ? "," : "{", labels[i].first, escaped(labels[i].second));
        }
        out_ += labels.empty() ? " " : "} ";
        out_ += value + '\n';
    }

    std::string& out_;
    std::string_view name_;
    std::string_view type_;
    std::string_view help_;
    bool begun_ = false;
};

template <typename Subject>
struct Metric {
    std::string_view name;
    std::string_view type;
    std::string_view help;
    void (*add)(Family& family, const Labels& labels, const Subject& subject);
};

const std::array<Metric<LibraryStatus>, 20> library_metrics = {{
    {"shelfd_library_bug", "gauge", "1 while a bug of shelfd stops the passes of the library",
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.count(l, s.bug ? 1 : 0); }},
    {"shelfd_library_token_needs_person", "gauge", "1 if a person must repair the token set",
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.count(l, s.token.needs_person ? 1 : 0); }},
    {"shelfd_library_token_journal_copies", "gauge",
     "Copies of the token journal that contain the complete set; 2 is normal",
     [](Family& f, const Labels& l, const LibraryStatus& s) {
         f.count(l, static_cast<std::uint64_t>(s.token.journal_copies));
     }},
    {"shelfd_library_token_generation", "gauge", "Generation of the token set",
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.count(l, s.token.generation); }},
    {"shelfd_library_token_expiry_timestamp_seconds", "gauge", "When the access token expires",
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.time(l, s.token.expires_at); }},
    {"shelfd_library_token_deadline_timestamp_seconds", "gauge", "When syncing stops unless a person acts",
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.time(l, s.token.deadline); }},
    {"shelfd_library_token_last_refresh_timestamp_seconds", "gauge", "Last refresh of the token set",
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.time(l, s.token.last_refresh); }},
    {"shelfd_library_token_next_refresh_timestamp_seconds", "gauge", "Next planned refresh of the token set",
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.time(l, s.token.next_refresh); }},
    {"shelfd_token_refreshes_total", "counter", "Exchanges with the token endpoint by outcome",
     [](Family& f, const Labels& l, const LibraryStatus& s) {
         for (const auto& refresh : s.token.refreshes) {
             auto labels = l;
             labels.emplace_back("outcome", refresh.outcome);
             f.count(labels, refresh.count);
         }
     }},
    {"shelfd_token_refresh_attempts_total", "counter", "Exchanges with the token endpoint that were started",
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.count(l, s.token.refresh_attempts); }},
    {"shelfd_token_answer_to_durable_seconds", "histogram",
     "From the last byte of the token endpoint's answer until it was on disk",
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.histogram(l, s.token.answer_to_durable); }},
    {"shelfd_library_requests_total", "counter", "Requests sent to the service",
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.count(l, s.budget.requests); }},
    {"shelfd_requests_total", "counter",
     "Requests sent to the service by reason; an empty resource means that they served the whole library",
     [](Family& f, const Labels& l, const LibraryStatus& s) {
         for (const auto& one : s.requests) {
             auto labels = l;
             labels.emplace_back("resource", one.resource);
             labels.emplace_back("reason", one.reason);
             f.count(labels, one.count);
         }
     }},
    {"shelfd_library_snapshot_timestamp_seconds", "gauge", "When the last snapshot was made",
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.time(l, s.snapshot.made_at); }},
    {"shelfd_library_snapshot_failed", "gauge", "1 when the last planned snapshot could not be made",
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.count(l, s.snapshot.trouble.empty() ? 0 : 1); }},
    {"shelfd_library_budget_limit", "gauge", "Requests a minute the limit group may send",
     [](Family& f, const Labels& l, const LibraryStatus& s) {
         if (s.budget.limit) {
             f.count(l, *s.budget.limit);
         }
     }},
    {"shelfd_library_budget_used", "gauge", "Requests of the limit group that count against its limit now",
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.count(l, s.budget.used); }},
    {"shelfd_library_budget_foreign", "gauge", "Requests of the limit that other programs use, by the service's count",
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.count(l, s.budget.foreign); }},
    {"shelfd_library_requests_in_flight", "gauge", "Requests waiting for an answer",
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.count(l, s.budget.in_flight); }},
    {"shelfd_library_wal_bytes", "gauge", "Size of the mirror's write-ahead log",
     [](Family& f, const Labels& l, const LibraryStatus& s) { f.count(l, s.wal_bytes); }},
}};

const std::array<Metric<ResourceStatus>, 13> resource_metrics = {{
    {"shelfd_resource_state", "gauge", "1 for the present state of the table, 0 for the others",
     [](Family& f, const Labels& l, const ResourceStatus& s) {
         for (int state = 0; state <= static_cast<int>(State::fresh); ++state) {
             auto labels = l;
             labels.emplace_back("state", to_string(static_cast<State>(state)));
             f.count(labels, static_cast<State>(state) == s.state ? 1 : 0);
         }
     }},
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

}  // namespace

std::string to_metrics(const Status& status)
{
    std::string out;
    Family(out, "shelfd_build_info", "gauge", "Always 1; the version is a label")
        .count({{"version", status.version}}, 1);
    Family(out, "shelfd_start_timestamp_seconds", "gauge", "When the daemon started").time({}, status.started);
    Family(out, "shelfd_config_loaded_timestamp_seconds", "gauge", "When the running configuration was loaded")
        .time({}, status.config_loaded);
    for (const auto& metric : library_metrics) {
        Family family(out, metric.name, metric.type, metric.help);
        for (const auto& library : status.libraries) {
            metric.add(family, {{"library", library.name}}, library);
        }
    }
    for (const auto& metric : resource_metrics) {
        Family family(out, metric.name, metric.type, metric.help);
        for (const auto& library : status.libraries) {
            for (const auto& resource : library.resources) {
                metric.add(family, {{"library", library.name}, {"resource", resource.name}}, resource);
            }
        }
    }
    return out;
}

}  // namespace shelfd::control

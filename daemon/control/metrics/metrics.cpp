#include "control/metrics/metrics.hpp"

#include "control/metrics/exposition.hpp"
#include "control/metrics/library_metrics.hpp"
#include "control/metrics/resource_metrics.hpp"

#include <algorithm>

namespace shelfd::control {
namespace {

void add_daemon_metrics(std::string& out, const Status& status)
{
    Family(out, "shelfd_build_info", "gauge", "Always 1; the version is a label")
        .count({{"version", status.version}}, 1);
    Family(out, "shelfd_start_timestamp_seconds", "gauge", "When the daemon started").time({}, status.started);
    Family(out, "shelfd_config_loaded_timestamp_seconds", "gauge", "When the running configuration was loaded")
        .time({}, status.config_loaded);
    Family(out, "shelfd_libraries", "gauge", "Libraries that run").count({}, status.libraries.size());
    Family(out, "shelfd_libraries_absent", "gauge", "Configured libraries that do not run")
        .count({}, status.absent.size());
    Family(out, "shelfd_notices", "gauge", "Troubles of the daemon itself, as in shelfctl status")
        .count({}, status.notices.size());
}

void add_alert_metrics(std::string& out, const AlertReport& alerts)
{
    Family incidents(out, "shelfd_incidents", "gauge", "Open incidents by severity");
    for (const auto* severity : {"page", "ticket", "info"}) {
        const auto open = std::count_if(alerts.incidents.begin(), alerts.incidents.end(),
                                        [severity](const auto& incident) { return incident.severity == severity; });
        incidents.count({{"severity", severity}}, static_cast<std::uint64_t>(open));
    }
    Family waiting(out, "shelfd_hook_calls_waiting", "gauge", "Calls of the hook that it has not accepted yet");
    for (const auto& hook : alerts.hooks) {
        waiting.count({{"hook", hook.name}}, hook.waiting);
    }
    Family failing(out, "shelfd_hook_failing", "gauge", "1 if the last call of the hook was not accepted");
    for (const auto& hook : alerts.hooks) {
        failing.count({{"hook", hook.name}}, hook.trouble.empty() ? 0 : 1);
    }
    Family(out, "shelfd_hook_calls_dropped_total", "counter", "Calls of hooks that were never accepted")
        .count({}, alerts.dropped);
}

}  // namespace

std::string to_metrics(const Status& status, const AlertReport& alerts, const MetricsScope& scope)
{
    std::string out;
    add_daemon_metrics(out, status);
    add_alert_metrics(out, alerts);
    add_library_metrics(out, status, scope);
    add_resource_metrics(out, status, scope);
    return out;
}

}  // namespace shelfd::control

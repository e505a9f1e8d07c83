#include "app/alerts/incident_report.hpp"

namespace shelfd::app {
namespace {

control::IncidentStatus report_incident(const control::Incident& incident)
{
    const auto& cause = incident.cause;
    control::IncidentStatus status;
    status.id = incident.id;
    status.cause = to_string(cause.kind);
    status.severity = to_string(cause.severity);
    status.title = title_of(cause.kind);
    status.why = cause.affected.front().why;
    status.do_this = cause.affected.front().do_this;
    status.who = who_can_act(cause.kind);
    status.since = incident.opened;
    for (const auto& one : cause.affected) {
        if (!one.library.empty()) {
            status.libraries.push_back(one.library);
        }
    }
    for (const auto& [hook, told] : incident.told) {
        status.called.push_back(hook);
    }
    return status;
}

}  // namespace

void report_book(const control::IncidentBook::Record& book, control::AlertReport& report)
{
    for (const auto& incident : book.open) {
        if (!incident.cause.momentary) {
            report.incidents.push_back(report_incident(incident));
        }
    }
    for (const auto& [library, until] : book.silences) {
        report.silences.push_back({library, until});
    }
}

void name_incidents(const control::IncidentBook::Record& book, std::vector<control::Cause>& problems)
{
    for (auto& problem : problems) {
        for (const auto& incident : book.open) {
            if (incident.cause.key == problem.key) {
                problem.incident = incident.id;
            }
        }
    }
}

}  // namespace shelfd::app

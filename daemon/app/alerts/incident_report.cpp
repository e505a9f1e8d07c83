#include "app/alerts/incident_report.hpp"

#include "base/words/natural_order.hpp"
#include "control/causes/pause_fold.hpp"

#include <algorithm>

namespace shelfd::app {
namespace {

control::IncidentStatus report_incident(const control::Incident& incident, const control::CallQueue& queue)
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
    status.library_count = incident.library_count;
    for (const auto& [hook, told] : incident.told) {
        const auto* const waiting = queue.oldest(hook, incident.id);
        if (told.accepted) {
            status.called.push_back(hook);
        } else if (waiting == nullptr) {
            status.dropped.push_back(hook);
        }
        if (waiting != nullptr) {
            status.waiting.push_back({hook, waiting->made});
        }
    }
    return status;
}

}  // namespace

void report_book(const control::IncidentBook::Record& book, const control::CallQueue& queue, Instant now,
                 control::AlertReport& report)
{
    for (const auto& incident : book.open) {
        if (!incident.cause.momentary) {
            report.incidents.push_back(report_incident(incident, queue));
        }
    }
    // Without hooks nothing removes what is too old.
    const auto is_remembered = [now](const control::Incident& one) {
        return one.announced && one.clear_since && now - *one.clear_since < control::IncidentBook::remembered;
    };
    for (auto incident = book.closed.rbegin(); incident != book.closed.rend(); ++incident) {
        if (is_remembered(*incident)) {
            report.ended.push_back(report_incident(*incident, queue));
            report.ended.back().ended = incident->clear_since;
        }
    }
    for (const auto& [library, until] : book.silences) {
        report.silences.push_back({library, until});
    }
    std::stable_sort(report.silences.begin(), report.silences.end(),
                     [](const auto& a, const auto& b) { return natural_less(a.library, b.library); });
}

void name_incidents(const control::IncidentBook::Record& book, std::vector<control::Cause>& problems)
{
    for (auto& problem : problems) {
        for (const auto& incident : book.open) {
            if (incident.cause.key == alert_key(problem)) {
                problem.incident = incident.id;
                // The record outlives the process, which has met the trouble of before its start anew. What was absent
                // at the last look begins anew.
                if (!incident.clear_since) {
                    recall_begin(problem, incident.cause.affected);
                }
            }
        }
    }
}

}  // namespace shelfd::app

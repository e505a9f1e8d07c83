#include "app/report/round_report.hpp"

namespace shelfd::app {

control::PublishedStatus report_published(const sync::ResourceReport& report)
{
    control::PublishedStatus status;
    if (const auto& run = report.summary.last_run) {
        status.run_id = run->run_id;
        status.run_added = run->added;
        status.run_changed = run->changed;
        status.run_deleted = run->deleted;
    }
    for (const auto& run : report.published_before) {
        status.earlier.push_back({run.run_id, run.added, run.changed, run.deleted});
    }
    status.since = report.published_since;
    status.rounds = report.published.rounds;
    status.added = report.published.added;
    status.changed = report.published.changed;
    status.deleted = report.published.deleted;
    status.feed_position = report.summary.feed_position;
    return status;
}

}  // namespace shelfd::app

#include "app/report/status_report.hpp"

#include "app/report/advice.hpp"
#include "app/report/budget_report.hpp"
#include "app/report/lateness.hpp"
#include "app/report/progress_report.hpp"
#include "app/report/remark.hpp"
#include "app/report/round_report.hpp"
#include "app/report/token_report.hpp"
#include "sync/library/token_kind.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace shelfd::app {
namespace {

// From before the daemon was started.
control::RunReport report_run(const mirror::PastRun& run)
{
    control::RunReport report;
    report.run_id = run.run_id;
    report.mode = run.mode;
    report.started = run.started;
    report.finished = run.finished;
    report.result = run.is_published ? control::RunResult::published : control::RunResult::failed;
    report.error = run.error;
    report.proven = run.is_published && run.is_proven;
    report.requests = run.requests;
    report.pages = run.pages;
    report.rows = run.rows;
    report.added = run.added;
    report.changed = run.changed;
    report.deleted = run.deleted;
    return report;
}

// The end of the quiet hours, if the pass that is due then could not begin before.
std::optional<Instant> quiet_until(const LibraryUnit& unit, const control::ResourceStatus& status)
{
    constexpr Duration moment = std::chrono::microseconds(1);
    const bool waits = status.next_due && !status.running && !unit.quiet().is_empty() && !unit.library().paused &&
                       unit.quiet().end_after(*status.next_due - moment) == *status.next_due;
    return waits ? status.next_due : std::nullopt;
}

// What is reported alike of a list, `resource`, and of the table of its details, of which `pending` are to be fetched.
template <typename Worker>
control::ResourceStatus report_table(const LibraryUnit& unit, const Worker& worker, const std::string& resource,
                                     std::uint64_t pending, Instant now)
{
    const auto& report = worker.report();
    const auto& summary = report.summary;
    control::ResourceStatus status;
    status.name = worker.name();
    status.state = summary.state_at(now);
    status.trouble = shown_trouble(report.trouble, summary.state);
    status.source = report.why.empty() ? summary.cause : report.source;
    status.why = report.why.empty() ? summary.why : report.why;
    status.do_this = advice_on(unit, worker);
    status.missing_scope = missing_scope(unit, resource);
    status.since = report.trouble_since ? report.trouble_since : summary.since;
    status.rows = summary.rows;
    status.as_of = summary.as_of;
    status.late_at = summary.late_at;
    status.next_due = report.next_due;
    status.running = report_progress(unit, report.progress, pending, now);
    status.quiet_until = quiet_until(unit, status);
    status.requests = report.requests;
    return status;
}

control::ResourceStatus report_resource(const LibraryUnit& unit, const sync::ResourceWorker& worker, Instant now)
{
    const auto& report = worker.report();
    auto status = report_table(unit, worker, worker.name(), 0, now);
    if (status.do_this.empty() && report.summary.held > 0) {
        status.do_this = fmt::format("to list them: shelfctl held {} {}; then repeat it with --keep if they exist, "
                                     "--accept if they were deleted",
                                     unit.library().name, worker.name());
    }
    if (status.state == control::State::held && !status.since) {
        status.since = report.summary.held_since;
    }
    status.held = report.summary.held;
    status.proven_as_of = report.summary.proven_as_of;
    status.complete_from = report.summary.complete_from;
    status.complete_to = report.summary.complete_to;
    status.repeats_pass = worker.repeats_walk();
    explain_lateness(unit.library().name, report, unit.limiter().status(), now, status);
    explain_remark(report.summary, status);
    leave_out_cure(is_said_better(worker) ? report.cure.words() : "", status);
    explain_clock(unit.keeper().status().clock_trouble, status);
    if (report.last_pass) {
        status.last_run = report_pass(*report.last_pass);
    } else if (report.summary.newest_run) {
        status.last_run = report_run(*report.summary.newest_run);
    }
    if (auto trouble = worker.filter_trouble()) {
        status.filter = {
            std::move(trouble->why),
            fmt::format("correct `incremental` of [resource.{}], or remove it, then: shelfctl reload", worker.name()),
            trouble->since};
    }
    status.published = report_published(report);
    status.passes = report.passes_ended;
    status.passes_failed = report.passes_failed;
    return status;
}

control::ResourceStatus report_details(const LibraryUnit& unit, const sync::DetailWorker& worker, Instant now)
{
    const auto& report = worker.report();
    auto status = report_table(unit, worker, worker.resource().name, report.facts.pending(), now);
    if (report.progress.running) {
        status.rows = worker.rows();  // the summary is read when a turn has ended
    }
    explain_lateness(unit.library().name, worker, status);
    explain_remark(report.summary, status);
    explain_clock(unit.keeper().status().clock_trouble, status);
    auto facts = report.facts;
    // The facts are read when a turn has ended.
    const auto added = status.rows - std::min(status.rows, facts.fetched);
    const auto pending = facts.pending() - std::min(added, facts.pending());
    facts.fetched += added;
    status.detail = control::DetailStatus{facts.share(), pending, facts.gone, facts.oldest};
    status.passes = report.turns;
    status.passes_failed = report.turns_failed;
    return status;
}

std::string identity_trouble(const LibraryUnit& unit, bool is_personal)
{
    if (unit.identity().is_unfit()) {
        return fmt::format("the library is not verified: {} a valid token from a wrong one, so a revoked token may see "
                           "only a part of a list, and a row that is missing from a list is kept until something else "
                           "shows that it was deleted",
                           unit.library().service.identity ? "the page of `identity` does not tell"
                                                           : "none of its lists tells");
    }
    if (is_personal && !unit.library().service.identity) {
        return "the library is not verified: the token set belongs to a person (auth login) and follows that person to "
               "another library, and no page names the active one";
    }
    return "";
}

std::optional<control::BugStatus> report_bug(const LibraryUnit& unit)
{
    const auto& bug = unit.bug();
    if (!bug) {
        return std::nullopt;
    }
    const auto do_this = fmt::format("send a bug report with the log ({}) and the output of: shelfctl status {} --json",
                                     unit.journal(), unit.library().name);
    return control::BugStatus{bug->what, bug->since, bug->times, bug->again_at, do_this};
}

// Until the library starts again, no pass is under way or planned.
void explain_bug(const std::optional<control::BugStatus>& bug, std::vector<control::ResourceStatus>& tables)
{
    for (auto& table : tables) {
        if (bug && table.state != control::State::paused) {
            table.running.reset();
            table.next_due = bug->again_at;
        }
    }
}

// Before the next try at the token set a pass could send nothing, whatever the schedule says.
void wait_for_set(const control::TokenStatus& token, std::vector<control::ResourceStatus>& tables)
{
    if (token.access_usable || token.needs_person || !token.next_refresh) {
        return;
    }
    for (auto& table : tables) {
        if (table.next_due) {
            table.next_due = std::max(*table.next_due, *token.next_refresh);
        }
    }
}

std::vector<control::FeedConsumer> report_consumers(const LibraryUnit& unit, Instant now)
{
    const auto& changes = unit.library().changes;
    const mirror::ChangeLimits limits{changes.keep, changes.max_rows};
    std::vector<control::FeedConsumer> consumers;
    for (const auto& one : unit.recorder().consumers()) {
        control::FeedConsumer consumer{one.name, one.position,        one.waiting,        one.waiting_since,
                                       {},       one.acknowledged_at, one.acknowledged_by};
        consumer.must_read_tables = one.must_read_tables;
        consumer.loaded = one.loaded;
        if (one.waiting_since && !one.must_read_tables) {
            consumer.kept_until = *one.waiting_since + limits.keep_for_consumers();
            consumer.holds_back = *one.waiting_since + limits.keep < now;
        }
        consumers.push_back(std::move(consumer));
    }
    return consumers;
}

}  // namespace

control::LibraryStatus report_library(const LibraryUnit& unit, Instant now)
{
    const auto& library = unit.library();
    control::LibraryStatus status;
    status.name = library.name;
    status.bug = report_bug(unit);
    status.origin = library.service.base_url;
    const auto token = unit.keeper().status();
    status.library_id = token.library_id;
    status.identity_verified = token.library_verified;
    status.mirror = unit.mirror_path();
    status.wal_bytes = unit.wal().bytes;
    status.wal_pinned_since = unit.wal().pinned_since;
    status.wal_readers.assign(unit.wal().readers.begin(), unit.wal().readers.end());
    status.note = library.note;
    status.contact = library.service.contact;
    const bool is_personal = sync::is_personal(library, token);
    status.identity_trouble = identity_trouble(unit, is_personal);
    status.token = report_token(unit.keeper());
    status.token.since = unit.token_state_since();
    status.token.kind = is_personal ? control::TokenKind::personal : control::TokenKind::service_account;
    for (const auto& one : unit.repairs()) {
        if (now - one.at <= mirror::repair_is_news) {
            status.repairs.push_back({one.at, "the mirror", one.file, one.found, one.done, one.aside});
        }
    }
    if (const auto& mended = token.journals.repair; mended && now - mended->at <= mirror::repair_is_news) {
        const control::Repair one{
            mended->at, "a copy of the token set", "", mended->found, "it was written again from the other copy", ""};
        const auto newer = [&one](const auto& other) { return other.at > one.at; };
        status.repairs.insert(std::find_if_not(status.repairs.begin(), status.repairs.end(), newer), one);
    }
    status.budget = report_budget(unit);
    const auto snapshots = unit.snapshot_state();
    status.snapshot = {snapshots.made, snapshots.trouble, snapshots.since};
    status.consumers = report_consumers(unit, now);
    status.requests = report_requests(unit);
    for (const auto& worker : unit.tables().lists()) {
        status.resources.push_back(report_resource(unit, *worker, now));
        for (const auto& details : unit.tables().details()) {
            if (details->resource().name == worker->name()) {
                status.resources.push_back(report_details(unit, *details, now));
            }
        }
    }
    wait_for_set(status.token, status.resources);
    forget_past_disk_trouble(status.resources);
    explain_bug(status.bug, status.resources);
    return status;
}

control::LibraryStatus report_or_bug(const std::string& library, Instant now, const std::string& journal,
                                     const std::function<control::LibraryStatus()>& report)
{
    try {
        return report();
    } catch (...) {
        control::LibraryStatus status;
        status.name = library;
        status.token.state = TokenState::good;  // not known; the bug is what counts
        status.bug = control::BugStatus{"status: " + describe_exception(std::current_exception()), now, 1, now,
                                        fmt::format("send a bug report with the log ({})", journal)};
        return status;
    }
}

control::RunReport report_pass(const sync::PassReport& pass)
{
    control::RunReport report;
    report.run_id = pass.run_id;
    report.mode = to_string(pass.kind);
    report.started = pass.started;
    report.finished = pass.ended;
    report.result = pass.published ? control::RunResult::published : control::RunResult::failed;
    report.error = pass.why;
    // A list of changes shows nothing about the rows that did not change.
    report.proven = pass.published && pass.proof.complete() && pass.kind != sync::PassKind::incremental;
    report.requests = pass.requests();
    report.pages = pass.pages;
    if (pass.published) {
        report.rows = pass.published->rows;
        report.added = pass.published->added;
        report.changed = pass.published->changed;
        report.deleted = pass.published->deleted;
    }
    return report;
}

}  // namespace shelfd::app

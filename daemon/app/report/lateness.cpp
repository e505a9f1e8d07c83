#include "app/report/lateness.hpp"

#include "app/report/budget_report.hpp"
#include "base/pause.hpp"
#include "base/state/limit_notice.hpp"
#include "control/model/quiet.hpp"

#include <fmt/core.h>

namespace shelfd::app {
namespace {

bool is_too_old(const control::ResourceStatus& status, Instant now)
{
    return status.late_at && *status.late_at < now;
}

// Since when requests of the pass wait, because the limit is used up; empty if that is too short to be told.
std::optional<Instant> starved_since(const sync::Progress& progress, Instant now)
{
    const auto& wait = progress.wait;
    const bool is_long = progress.running && wait && wait->requests > 0 && now - wait->since >= worth_telling;
    return is_long ? std::optional(wait->since) : std::nullopt;
}

// Explains why nothing arrives, if no pass has ended with a reason.
void explain_standstill(const std::string& library, const sync::ResourceReport& report,
                        const budget::LimiterStatus& limiter, Instant now, control::ResourceStatus& status)
{
    const auto& progress = report.progress;
    if (!status.why.empty()) {
        return;
    }
    const auto quiet = status.quiet_until ? control::describe_quiet(*status.quiet_until, library) : std::string();
    if (const auto since = progress.held_up_since; progress.running && since && now - *since >= worth_telling) {
        status.why = progress.note + "; the daemon keeps trying";
        status.since = since;
    } else if (const auto starved = starved_since(progress, now); starved && status.state != control::State::fresh) {
        status.why =
            fmt::format("{} ({}) since {}", waits_for_limit_words, describe_limit(limiter), starved->to_short_text());
        if (limiter.paused_until) {
            status.why += "; " + describe_pause(*limiter.paused_until);
        }
    } else if (status.state == control::State::filling && report.queued) {
        status.why = "the first pass waits for other lists";
    } else if (status.state == control::State::filling && !quiet.empty()) {
        status.why = "the first pass " + quiet;
        status.why_tells_quiet = true;
    } else if (status.state == control::State::late) {
        const bool is_old = is_too_old(status, now);
        const auto last = is_old ? status.as_of : status.proven_as_of;
        status.why = fmt::format("no pass {} since {}{}", is_old ? "was published" : "has proven it complete",
                                 last ? last->to_short_text() : "it was configured",
                                 progress.running  ? "; a pass is running"
                                 : report.queued   ? "; the next pass waits for other lists"
                                 : !quiet.empty()  ? "; the next pass " + quiet
                                 : status.next_due ? "; the next pass starts at " + status.next_due->to_short_text()
                                                   : "");
        status.why_tells_quiet = !progress.running && !report.queued && !quiet.empty();
    }
}

}  // namespace

void explain_lateness(const std::string& library, const sync::ResourceReport& report,
                      const budget::LimiterStatus& limiter, Instant now, control::ResourceStatus& status)
{
    explain_standstill(library, report, limiter, now, status);
    if (status.state != control::State::late || report.trouble != sync::Trouble::none) {
        return;
    }
    const bool is_old = is_too_old(status, now);
    if (!status.since) {
        status.since = is_old ? status.late_at : report.summary.proven_late_at;
    }
    if (report.progress.running && report.progress.held_up_since) {
        return;
    }
    if (starved_since(report.progress, now)) {
        status.do_this = fmt::format("to see what the limit is spent on: shelfctl plan {}", library);
        return;
    }
    status.do_this = fmt::format("to see what the last passes found: shelfctl explain {} {}", library, status.name);
    if (!is_old) {
        status.do_this += fmt::format("; to try to prove it now: shelfctl sync {} {} --full", library, status.name);
    }
}

void explain_lateness(const std::string& library, const sync::DetailWorker& worker, control::ResourceStatus& status)
{
    const auto& report = worker.report();
    if (status.state == control::State::filling && status.why.empty() && status.quiet_until) {
        status.why = "the first turn " + control::describe_quiet(*status.quiet_until, library);
        status.why_tells_quiet = true;
    }
    if (status.state != control::State::late || report.trouble != sync::Trouble::none) {
        return;
    }
    if (status.why.empty() && report.facts.oldest) {
        status.why = "the oldest details are of " + report.facts.oldest->to_short_text();
    }
    status.since = status.late_at;
    status.do_this = fmt::format("to see what the limit is spent on: shelfctl plan {}; set a longer refresh_within for "
                                 "{}, or make passes over lists less frequent, then: shelfctl reload",
                                 library, worker.list());
}

void explain_clock(const std::string& clock_trouble, control::ResourceStatus& status)
{
    if (status.state == control::State::late && !clock_trouble.empty()) {
        status.why = fmt::format("{}; the age of tables follows the service's clock", clock_trouble);
        status.why_tells_quiet = false;
        status.do_this =
            "timedatectl set-ntp true, if this machine's clock is wrong; otherwise tell the operator of the service";
    }
}

}  // namespace shelfd::app

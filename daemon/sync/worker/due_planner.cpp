#include "sync/worker/due_planner.hpp"

#include <algorithm>
#include <utility>

namespace shelfd::sync {
namespace {

// A clock that is adjusted slowly falls back by less than this during one wait.
constexpr auto min_step = std::chrono::seconds(1);
constexpr Duration quick_retry = std::chrono::minutes(1);
constexpr Duration switched_retry = std::chrono::minutes(2);
constexpr Duration slow_retry = std::chrono::minutes(15);
// How soon a granted permission or a path that appears is noticed, however rare the schedule.
constexpr auto slowest_retry = std::chrono::hours(1);

}  // namespace

DuePlanner::DuePlanner(Services services, Rhythm rhythm, Lists lists)
    : services_(std::move(services)), rhythm_(std::move(rhythm)),
      is_sliced_(rhythm_.windows() != nullptr || lists == Lists::by_parent),
      backoff_(std::min<Duration>(std::chrono::seconds(30), rhythm_.pace()),
               std::clamp<Duration>(rhythm_.pace(), quick_retry, slow_retry))
{
}

void DuePlanner::begin(std::optional<Instant> last, std::optional<Instant> last_full)
{
    rhythm_.begin(services_.clock.now(), last, last_full, services_.random());
}

void DuePlanner::resume_cut_walk()
{
    has_cut_walk_ = true;
    plan_now();
}

// By the schedule, or earlier if there is work in between.
Instant DuePlanner::next_turn() const
{
    return std::min(rhythm_.due(), services_.backfill_at().value_or(rhythm_.due()));
}

void DuePlanner::plan_at(Instant due)
{
    due_ = repeats_walk() && repeats_for_person_ ? due : rhythm_.quiet().end_after(due);
    due_boot_ = services_.clock.boot_now() + left();
}

bool DuePlanner::is_backfill_due() const
{
    const auto at = services_.backfill_at();
    return at && *at <= services_.clock.now();
}

bool DuePlanner::is_full_due() const
{
    return repeats_.is_due() || must_refill_ || rhythm_.is_full_due(services_.clock.now());
}

Wish DuePlanner::wanted(const std::optional<Wish>& asked_for) const
{
    const bool is_ledger = rhythm_.windows() != nullptr;
    if (asked_for && (is_ledger || asked_for->wanted != Wanted::ordinary)) {
        auto wish = *asked_for;
        wish.anew = true;
        wish.repeats = repeats_.is_due();
        return wish;
    }
    const bool backfill_first = owes_backfill_ && !must_refill_ && is_backfill_due();
    if (is_sliced_ && !asked_for && !repeats_walk() && (backfill_first || !is_ordinary_due())) {
        return {Wanted::backfill};
    }
    const bool whole = !is_ledger && (has_cut_walk_ || is_full_due());
    return {whole ? Wanted::full : Wanted::ordinary, {}, asked_for.has_value(), repeats_.is_due()};
}

Wish DuePlanner::take_wanted(const std::optional<Wish>& asked_for)
{
    auto wish = wanted(asked_for);
    must_refill_ = has_cut_walk_ = false;
    return wish;
}

void DuePlanner::pass_begins()
{
    began_ = services_.clock.now();
    began_boot_ = services_.clock.boot_now();
}

// The clock was set back by `step`; the plans were made before that, and move with it.
void DuePlanner::shift_rhythm(Duration step)
{
    const auto now = services_.clock.now();
    rhythm_.clock_set_back(now, rhythm_.due() - (now + step), services_.random());
}

bool DuePlanner::notice_clock_set_back(Waits waits)
{
    const auto left_on_boot_clock = due_boot_ - services_.clock.boot_now();
    const auto step = left() - left_on_boot_clock;
    if (step < min_step) {
        return false;
    }
    // The present wait may be for something else than the schedule: older windows, or the next try after trouble.
    shift_rhythm(step);
    plan_at(waits == Waits::for_schedule ? next_turn() : services_.clock.now() + left_on_boot_clock);
    return true;
}

// If rows moved while several pages of changes were read, a repetition brings those that were skipped. Where they never
// stop moving, it would only cost requests.
void DuePlanner::judge_changes(const PassReport& report)
{
    const bool is_for_changes = report.kind == PassKind::incremental;
    const bool is_walk = is_for_changes && !is_sliced_ && report.pages > 1 && !repeats_changes_in_vain_;
    const bool was_repeated = change_repeats_.is_due();
    change_repeats_.published(report, is_walk ? WalkRepeats::Pass::walk : WalkRepeats::Pass::other);
    if (report.proof.complete() || !is_for_changes) {
        repeats_changes_in_vain_ = false;
    } else if (was_repeated && !change_repeats_.is_due()) {
        repeats_changes_in_vain_ = true;
    }
}

void DuePlanner::pass_ended(const PassReport& report, Pass pass, WantedBy wanted_by)
{
    const bool went_well = report.trouble == Trouble::none;
    if (went_well && pass == Pass::ordinary) {
        rhythm_.passed(report.kind, report.started, services_.random());
    }
    // How much less the wall clock advanced than the boot clock.
    const auto set_back = (began_ - services_.clock.now()) + (services_.clock.boot_now() - began_boot_);
    if (set_back >= min_step) {
        shift_rhythm(set_back);
    }
    // Where ordinary passes take longer than their interval, one is always due, and other windows would never be
    // walked.
    owes_backfill_ = went_well && pass == Pass::ordinary && rhythm_.windows() != nullptr && is_ordinary_due();
    if (!went_well) {
        record_failure(report, pass);
        repeats_.failed();
        change_repeats_.failed();
        plan_at(next_try(report));
        return;
    }
    backoff_.reset();
    if (pass == Pass::ordinary) {
        // A walk made again, long after the list moved, may prove what this one could not. Rounds repeat windows
        // themselves.
        const bool is_walk = report.kind != PassKind::incremental && !is_sliced_;
        repeats_.published(report, is_walk ? WalkRepeats::Pass::walk : WalkRepeats::Pass::other);
        judge_changes(report);
        repeats_for_person_ = wanted_by == WantedBy::person;
    }
    plan_at(repeats_walk() ? services_.clock.now() : next_turn());
}

void DuePlanner::record_failure(const PassReport& report, Pass pass)
{
    const auto now = services_.clock.now();
    const bool sent_any = report.spent.of(budget::Reason::page) > 0;
    // If nothing was sent, the token set or the library is the reason, not this list.
    if (sent_any && (report.recalled == 0 || report.kind == PassKind::incremental)) {
        rhythm_.failed(report.kind, report.pages > 0, now);
    } else if (sent_any && report.pages <= report.recalled) {
        rhythm_.stuck(now);
    }
    // A single unreadable window, such as today's, must not keep older ones from being walked.
    const bool was_asked = report.trouble == Trouble::passing || sent_any;
    if (rhythm_.windows() != nullptr && pass == Pass::ordinary && was_asked) {
        rhythm_.round_failed(report.pages > 0, now);
    }
}

Instant DuePlanner::next_try(const PassReport& report)
{
    const bool slowly = report.trouble != Trouble::passing && report.trouble != Trouble::storage;
    // A user switches libraries back at any moment, and asking whose token it is takes one request.
    const bool is_switched = report.trouble == Trouble::wrong_library;
    const auto wait = is_switched ? std::clamp<Duration>(rhythm_.pace(), switched_retry, slow_retry)
                      : slowly    ? std::clamp<Duration>(rhythm_.pace(), slow_retry, slowest_retry)
                                  : backoff_.next(services_.random());
    return services_.clock.now() + std::max(wait, report.closed_for);
}

}  // namespace shelfd::sync

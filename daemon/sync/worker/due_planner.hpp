// Decides when the next pass over one table is due, and what it is for.
#pragma once

#include "base/backoff.hpp"
#include "runtime/async/clock.hpp"
#include "sync/pass/pass_report.hpp"
#include "sync/plan/rhythm.hpp"
#include "sync/worker/walk_repeats.hpp"
#include "sync/worker/wish_queue.hpp"

#include <functional>
#include <optional>

namespace shelfd::sync {

// By the schedule, the trouble of the last pass, and steps of the wall clock. Loop only; no I/O.
class DuePlanner {
public:
    struct Services {
        Clock& clock;
        std::function<double()> random;  // uniform in [0, 1)
        // When there is work between ordinary passes; empty: never.
        std::function<std::optional<Instant>()> backfill_at;
    };
    enum class Lists { one, by_parent };
    DuePlanner(Services services, Rhythm rhythm, Lists lists);

    // When the worker starts: see Rhythm::begin. Plans nothing.
    void begin(std::optional<Instant> last, std::optional<Instant> last_full);
    // After `begin`: the last pass failed, and was to be tried again then.
    void try_again_at(Instant at) { rhythm_.try_again_at(at); }
    void plan_by_schedule() { plan_at(next_turn()); }
    void plan_now() { plan_at(services_.clock.now()); }
    // An earlier process left pages of a walk over the whole list; a pass of another kind would drop them.
    void resume_cut_walk();
    // The mirror's file was created anew: the next pass walks the whole list. Its time is planned by the caller.
    void require_refill() { must_refill_ = true; }

    Instant due() const { return due_; }
    BootTime due_on_boot_clock() const { return due_boot_; }
    Duration left() const { return due_ - services_.clock.now(); }
    const Rhythm& rhythm() const { return rhythm_; }
    bool must_refill() const { return must_refill_; }
    bool has_cut_walk() const { return has_cut_walk_; }
    // The next pass repeats the last one, which proved nothing.
    bool repeats_walk() const { return repeats_.is_due() || change_repeats_.is_due(); }
    bool is_backfill_due() const;
    // True if the next ordinary pass walks the whole list.
    bool is_full_due() const;
    // True if an ordinary pass is due.
    bool is_ordinary_due() const { return must_refill_ || rhythm_.is_due(services_.clock.now()); }

    // What the next pass is for, given what a person requested, if anything. Ordinary passes of a ledger that take
    // longer than their interval alternate with passes over its other windows.
    Wish wanted(const std::optional<Wish>& asked_for) const;
    // The same for a pass that begins with it.
    Wish take_wanted(const std::optional<Wish>& asked_for);

    // A pass begins to send requests.
    void pass_begins();
    // Whether the pass was made for the schedule or between two such passes.
    enum class Pass { ordinary, between };
    // Whether a person waits for it: then its repetition does not wait for the end of the quiet hours.
    enum class WantedBy { schedule, person };
    void pass_ended(const PassReport& report, Pass pass, WantedBy wanted_by = WantedBy::schedule);
    // True if the wall clock was set back and the next pass was planned again. A clock that was set forward needs
    // nothing: passes are due earlier.
    enum class Waits { for_schedule, for_next_try };
    bool notice_clock_set_back(Waits waits);

private:
    Instant next_turn() const;
    // At the end of the quiet hours, if it is in them and no person waits for a repetition.
    void plan_at(Instant due);
    void judge_changes(const PassReport& report);
    void shift_rhythm(Duration step);
    void record_failure(const PassReport& report, Pass pass);
    Instant next_try(const PassReport& report);

    Services services_;
    Rhythm rhythm_;
    bool is_sliced_;  // published in parts with proofs of their own: windows, lists by parent
    Backoff backoff_;
    WalkRepeats repeats_;         // of walks over the whole list
    WalkRepeats change_repeats_;  // of passes for changes
    bool repeats_for_person_ = false;
    bool repeats_changes_in_vain_ = false;  // rows moved in all repetitions, and no pass has proven anything since
    bool must_refill_ = false;
    bool owes_backfill_ = false;  // of a ledger: the last ordinary pass took until the next one was due
    bool has_cut_walk_ = false;
    // By the rhythm, or the next try after trouble.
    Instant due_ = Instant::from_micros(INT64_MAX / 2);
    BootTime due_boot_;  // `due_` on the boot clock, when it was chosen
    Instant began_;      // of the pass under way
    BootTime began_boot_;
};

}  // namespace shelfd::sync

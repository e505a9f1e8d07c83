// When the passes of one resource are due: ordinary ones and, besides incremental ones, those over the whole list.
#pragma once

#include "schedule/quiet_hours.hpp"
#include "schedule/schedule.hpp"
#include "sync/plan/pass_plan.hpp"
#include "sync/plan/window_plan.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace shelfd::sync {

// A pure value; `random` is in [0, 1). Without `full`, full passes are the ordinary ones. A full pass counts for both.
class Rhythm {
public:
    Rhythm(schedule::Schedule ordinary, std::optional<schedule::Schedule> full);
    // For a ledger: `ordinary` applies to rounds over the newest windows, all else is due by what is proven.
    Rhythm(schedule::Schedule ordinary, WindowPlan windows);

    // Call when the daemon starts: the last pass of any kind began at `last`, the last proven full one at `last_full`.
    void begin(Instant now, std::optional<Instant> last, std::optional<Instant> last_full, double random);
    // The last pass before this start failed and was to be tried again at `at`: no pass comes before that, and an
    // ordinary one not later.
    void try_again_at(Instant at);
    // A pass that began at `started` was published.
    void passed(PassKind kind, Instant started, double random);
    // A pass of that kind was not published. Full passes that keep failing must not delay the ordinary ones: if pages
    // had arrived, they are repeated from the second failure in a row on at growing intervals, up to that of their
    // schedule. If no page had arrived the service may be down: the failure does not count, and the next full pass
    // waits for the interval of an ordinary one.
    void failed(PassKind kind, bool had_pages, Instant now);
    // A full pass resumed with the pages of an earlier try and got no further: the next page may be broken, or the
    // service down. From the second time in a row on, an ordinary pass goes first. If that fails as well the service is
    // down, and the full pass is not postponed again for this reason until a pass is published.
    void stuck(Instant now);
    // An ordinary round over the newest windows of a ledger failed. The next one comes at growing intervals, up to that
    // of its schedule, so that a window that always fails does not delay older ones; if no page had arrived the service
    // may be down, and the interval is at most a quarter of an hour.
    void round_failed(bool had_pages, Instant now);
    // See Schedule::revised.
    void clock_set_back(Instant now, Duration left, double random);

    Instant due() const;
    bool is_due(Instant now) const { return due() <= now; }
    bool is_full_due(Instant now) const { return !full_ || full_->due <= now; }

    // nullptr unless the resource is a ledger.
    const WindowPlan* windows() const { return windows_.get(); }

    // The interval at which a resource in trouble is tried.
    Duration pace() const { return ordinary_.schedule.pace(); }
    // See Schedule.
    Duration distance_after(Instant at) const { return ordinary_.schedule.distance_after(at); }
    // No pass begins in these hours by itself, and they do not make a table late.
    void keep_quiet(schedule::QuietHours quiet) { quiet_ = std::move(quiet); }
    const schedule::QuietHours& quiet() const { return quiet_; }

    // See Schedule: for the rows by the ordinary passes, for the proof by the full ones.
    Duration default_late_after() const { return ordinary_.schedule.default_late_after() + quiet_.longest(); }
    Duration default_proven_late_after() const
    {
        return (full_ ? full_->schedule : ordinary_.schedule).default_proven_late_after() + quiet_.longest();
    }
    // Likewise; with quiet hours, for intervals, too.
    std::optional<Instant> late_at(Instant started) const;

private:
    struct Line {
        schedule::Schedule schedule;
        Instant due = {};
        bool first_pass = true;  // the first one of this process

        void passed(Instant started, double random);
    };

    Line ordinary_;
    std::optional<Line> full_;
    schedule::QuietHours quiet_;
    std::shared_ptr<const WindowPlan> windows_;  // few lists have one, and it is large
    std::uint32_t full_failures_ = 0;            // in a row, with pages
    std::uint32_t stuck_ = 0;                    // in a row, of passes that got no further
    bool is_away_ = false;                       // the service is down, as far as is known
    std::uint32_t round_failures_ = 0;           // in a row, of rounds over windows
};

}  // namespace shelfd::sync

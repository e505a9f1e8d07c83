// When the passes of one resource are due: ordinary ones, and beside incremental ones those over the whole list.
#pragma once

#include "schedule/schedule.hpp"
#include "sync/plan/pass_plan.hpp"
#include "sync/plan/window_plan.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace shelfd::sync {

// A pure value; `random` is in [0, 1). Without a schedule of their own full passes are the ordinary ones. A full pass
// serves both schedules.
class Rhythm {
public:
    Rhythm(schedule::Schedule ordinary, std::optional<schedule::Schedule> full);
    // Of a ledger: rounds over the newest windows are due as said, all else by what is proven.
    Rhythm(schedule::Schedule ordinary, WindowPlan windows);

    // When the daemon starts: the last pass of any kind began at `last`, the last proven full one at `last_full`.
    void begin(Instant now, std::optional<Instant> last, std::optional<Instant> last_full, double random);
    // A pass began at `started` and was published.
    void passed(PassKind kind, Instant started, double random);
    // A pass of that kind was not published. Full passes that keep failing must not starve the ordinary ones: where
    // pages had come, from the second failure in a row on they follow at growing intervals, at most that of their
    // schedule. Where not one came, the service may be away: such a failure counts as none of these, and the next full
    // pass waits for the interval of an ordinary one.
    void failed(PassKind kind, bool had_pages, Instant now);
    // A full pass went on with the pages of an earlier try, and got no further. The next page may be broken, or the
    // service away: from the second time in a row on an ordinary pass has its turn. Where that fails as well, it is the
    // service, and until a pass is published the full one is not put off for this again.
    void stuck(Instant now);
    // An ordinary round over the newest windows of a ledger met trouble. The next one comes at growing intervals, at
    // most that of its schedule, so that one window that always fails does not starve the older ones; where not one
    // page came, the service may be away, and the interval is at most a quarter of an hour.
    void round_failed(bool had_pages, Instant now);
    // See Schedule::revised.
    void clock_set_back(Instant now, Duration left, double random);

    Instant due() const;
    bool is_due(Instant now) const { return due() <= now; }
    bool is_full_due(Instant now) const { return !full_ || full_->due <= now; }

    // Of a ledger; else null.
    const WindowPlan* windows() const { return windows_.get(); }

    // How often a resource in trouble is worth a look.
    Duration pace() const { return ordinary_.schedule.pace(); }
    // See Schedule.
    Duration distance_after(Instant at) const { return ordinary_.schedule.distance_after(at); }
    // See Schedule: of the rows by the ordinary passes, of the proof by the full ones.
    Duration default_late_after() const { return ordinary_.schedule.default_late_after(); }
    Duration default_proven_late_after() const
    {
        return (full_ ? full_->schedule : ordinary_.schedule).default_proven_late_after();
    }
    std::optional<Instant> late_at(Instant started) const { return ordinary_.schedule.late_at(started); }

private:
    struct Line {
        schedule::Schedule schedule;
        Instant due = {};
        bool first_pass = true;  // of this process

        void passed(Instant started, double random);
    };

    Line ordinary_;
    std::optional<Line> full_;
    std::shared_ptr<const WindowPlan> windows_;  // few lists have one, and it is large
    std::uint32_t full_failures_ = 0;            // in a row
    std::uint32_t stuck_ = 0;                    // the same, of those that got no further
    bool is_away_ = false;                       // the service, by all that is known
    std::uint32_t round_failures_ = 0;           // the same, of rounds over windows
};

}  // namespace shelfd::sync

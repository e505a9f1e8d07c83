// Keeps one table fresh: waits until a pass is due or asked for, carries it out, remembers how it went.
#pragma once

#include "base/backoff.hpp"
#include "mirror/mirror.hpp"
#include "runtime/async/async_event.hpp"
#include "sync/library/context.hpp"
#include "sync/library/wal_watch.hpp"
#include "sync/pass/pass_report.hpp"
#include "sync/plan/rhythm.hpp"
#include "sync/worker/pass_chooser.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::sync {

// What people are told about one resource.
struct ResourceReport {
    mirror::ResourceSummary summary;  // as the mirror said after the last pass
    Trouble trouble = Trouble::none;
    ErrorKind cause = ErrorKind::storage;  // of trouble with the mirror
    std::string why;
    std::optional<Instant> trouble_since;
    std::optional<Instant> next_due;
    bool queued = false;  // a pass is due, and other lists of the library go first
    Progress progress;
    std::optional<PassReport> last_pass;
    std::uint64_t passes_ended = 0;
    std::uint64_t passes_failed = 0;
    std::uint64_t requests = 0;
};

// Loop only. `context` and `resource` outlive it. Remote trouble never ends `run`; cancellation does. A wall clock that
// somebody sets is noticed within five minutes.
class ResourceWorker {
public:
    // `changed` is called after every change of the report.
    ResourceWorker(LibraryContext& context, const config::Resource& resource, Rhythm rhythm,
                   std::function<void()> changed);

    // Reads what the mirror knows, so that a restart goes on where it was.
    asio::awaitable<Result<void>> load();
    // For ever: a pass when it is due.
    asio::awaitable<void> run();
    // What is due now, until it is done (`--once`). The parent has run before, and will not run again.
    asio::awaitable<void> run_once();

    // Passes begin after those of the parent that are due at the same time, and soon after each that brought rows, or
    // lost some. `parent` runs whenever this one does, and both end together.
    void follow(ResourceWorker& parent);

    // Asks for a pass that begins after now, at the next possible moment; where others wait, for one that does what all
    // of them want, or for one behind theirs. Returns the value that `passes_ended` of the report reaches when that
    // pass has ended.
    std::uint64_t request_pass(Wish wish = {});
    // What such texts (a day, or an instant) mean to the ledger; both ends included. Errors: usage, where this is none,
    // or they name no stretch of time within it.
    Result<TimeRange> time_range(const std::string& from, const std::string& to) const;
    // What such a pass would be, if it began now.
    PassPreview preview(Wish wish) const;
    // The table is empty through no fault of the service: it is filled now, or after the pass that is under way, and
    // not when the schedule says so.
    void refill();
    // A token set arrived, which may let a blocked resource go on.
    void wake_if_blocked();

    // From the begin of a pass until the mirror was told how it ended.
    bool is_busy() const { return busy_; }
    const ResourceReport& report() const { return report_; }
    const std::string& name() const { return resource_.name; }
    // Of lists by parent, the longest that is known; "" where there is none.
    std::string list_path() const { return chooser_.path(); }

private:
    asio::awaitable<void> wait_until_due();
    asio::awaitable<void> line_up_and_pass();
    asio::awaitable<WalkGate::Place> take_place();
    bool lacks_room() const;
    asio::awaitable<void> pass(WalkTurns::Turn& turn, WalkGate::Place& place);
    bool is_polled() const;
    bool is_poll(const Round& round) const;
    std::uint64_t requests_of_a_poll() const;
    std::uint64_t polls_a_minute() const;
    void announce_poll(BootTime at);
    bool is_backfill_due() const;
    std::optional<Wish> take_wish();
    Wish what_is_wanted(const std::optional<Wish>& asked_for) const;
    std::uint64_t expected_requests(const Round& round) const;
    WalkTurns::Claim claim() const;
    bool is_about_to_pass() const;
    asio::awaitable<void> await_parent();
    void parent_changed();
    void notify_followers(const PassReport& pass);
    void record_slow_round(PassReport& pass) const;
    void record_no_json(PassReport& pass);
    bool is_blocked() const;
    asio::awaitable<void> forget_trouble();
    asio::awaitable<void> take_set();
    Duration set_back_since(Instant wall, BootTime boot) const;
    void plan_next(const PassReport& pass, bool ordinary, bool walks_newest, Duration set_back);
    void record_failure(const PassReport& pass);
    bool is_worth_repeating(const PassReport& pass);
    void keep_trouble_of_newest(const PassReport& pass, bool walks_newest);
    Instant next_turn() const;
    void plan_at(Instant due);
    void notice_clock_set_back();
    Instant next_try(const PassReport& pass);
    void log_outcome(const PassReport& pass);
    void log_trouble(const PassReport& pass);
    asio::awaitable<void> publish_trouble();
    struct Told {
        Result<void> done;
        WalLook wal;
        std::optional<std::string> notice;
        bool rebuilt = false;
        std::vector<mirror::Repair> repairs;
        std::optional<mirror::ResourceSummary> summary;  // as it is after that
    };
    Told tell(const mirror::ResourceState& state, bool empties_wal);
    // Of the newest windows of a ledger, until a round over them goes well.
    struct NewestTrouble {
        Trouble trouble = Trouble::none;
        ErrorKind cause = ErrorKind::storage;
        std::string why;
        std::optional<Instant> since;
    };

    LibraryContext& context_;
    const config::Resource& resource_;
    Rhythm rhythm_;
    PassChooser chooser_;
    Backoff backoff_;
    ResourceReport report_;
    NewestTrouble of_newest_;
    std::vector<Wish> wishes_;       // of people, a pass for each, in this order
    std::uint32_t walks_again_ = 0;  // that followed a walk which proved nothing
    bool walk_again_ = false;        // the next pass is one of these
    std::string met_before_;         // by the newest walk that proved nothing
    std::string met_in_vain_;        // by one of these that repeated another, and met the same
    bool waits_for_parent_ = true;   // for rows that name its lists; before the first round nobody knows
    bool must_refill_ = false;       // the file began anew: what changed is not enough
    bool has_cut_walk_ = false;      // left by an earlier life: another pass would put an end to its pages
    // By the rhythm, or the next try after trouble.
    Instant due_ = Instant::from_micros(INT64_MAX / 2);
    BootTime due_boot_;                              // as it was on this clock when `due_` was chosen
    std::optional<budget::Announcement> announced_;  // the next poll, or the one after that which is under way
    bool busy_ = false;
    bool is_rest_ = false;       // what the pass under way does is done while nothing is due
    bool set_arrived_ = false;   // since the last pass began
    std::uint32_t no_json_ = 0;  // passes in a row that were answered with something else, and no table yet
    std::string logged_;         // the trouble that the log has; "" = none
    AsyncEvent wake_;
    AsyncEvent ended_;                        // a pass
    ResourceWorker* parent_ = nullptr;        // whose rows name our lists
    std::vector<ResourceWorker*> followers_;  // whose lists are named by our rows
    bool parent_changed_ = false;             // while a pass was under way
    std::function<void()> changed_;
};

}  // namespace shelfd::sync

// Keeps one table fresh: waits until a pass is due or asked for, carries it out, remembers how it went.
#pragma once

#include "mirror/mirror.hpp"
#include "runtime/async/async_event.hpp"
#include "sync/library/context.hpp"
#include "sync/library/progress.hpp"
#include "sync/library/wal_watch.hpp"
#include "sync/worker/due_planner.hpp"
#include "sync/worker/outcome_log.hpp"
#include "sync/worker/pass_chooser.hpp"
#include "sync/worker/poll_slots.hpp"
#include "sync/worker/resource_report.hpp"
#include "sync/worker/wish_queue.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::sync {

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

    // Asks for a pass that begins after now, at the next possible moment; where other wishes wait, see WishQueue.
    // Returns the value that `passes_ended` of the report reaches when that pass has ended.
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

    // From the begin of a pass until its end is in the mirror.
    bool is_busy() const { return stage_ != Stage::idle; }
    const ResourceReport& report() const { return report_; }
    const std::string& name() const { return resource_.name; }
    // Of lists by parent, the longest that is known; "" where there is none.
    std::string list_path() const { return chooser_.path(); }

private:
    enum class Stage {
        idle,
        choosing,  // a pass begins: what it is about is not known yet
        fresh,     // a pass that keeps the table fresh is under way
        backfill,  // one for the time between
    };

    asio::awaitable<void> wait_until_due();
    asio::awaitable<void> line_up_and_pass();
    asio::awaitable<WalkGate::Place> take_place();
    bool lacks_room() const;
    asio::awaitable<void> pass(WalkTurns::Turn& turn, WalkGate::Place& place);
    asio::awaitable<Round> choose(const std::optional<Wish>& wish);
    void judge(PassReport& ended, bool ordinary, bool walks_newest);
    WalkTurns::Claim claim() const;
    bool is_about_to_pass() const;
    asio::awaitable<void> await_parent();
    void parent_changed();
    void notify_followers(const PassReport& pass);
    void record_slow_round(PassReport& pass) const;
    void record_no_json(PassReport& pass);
    void count_published(const PassReport& pass);
    asio::awaitable<void> forget_trouble();
    asio::awaitable<void> take_set();
    void plan_now();
    void wake_now();
    asio::awaitable<void> publish_trouble();
    // What the mirror says when it has the state of the table.
    struct MirrorReply {
        Result<void> done;
        WalLook wal;
        std::optional<std::string> notice;
        bool rebuilt = false;
        std::vector<mirror::Repair> repairs;
        std::optional<mirror::ResourceSummary> summary;  // as it is after that
    };
    MirrorReply write_state(const mirror::ResourceState& state, bool empties_wal);
    asio::awaitable<void> read_again(bool rebuilt);

    LibraryContext& context_;
    const config::Resource& resource_;
    ResourceReport report_;
    PassBoard board_;  // of `report_`
    DuePlanner planner_;
    PassChooser chooser_;
    PollSlots polls_;
    WishQueue wishes_;
    OutcomeLog log_;
    NewestWindowTrouble newest_;
    Stage stage_ = Stage::idle;
    bool waits_for_parent_ = true;  // for rows that name its lists; before the first round nobody knows
    bool set_arrived_ = false;      // since the last pass began
    std::uint32_t no_json_ = 0;     // passes in a row that were answered with something else, and no table yet
    AsyncEvent wake_;
    AsyncEvent ended_;                        // a pass
    ResourceWorker* parent_ = nullptr;        // whose rows name our lists
    std::vector<ResourceWorker*> followers_;  // whose lists are named by our rows
    bool parent_changed_ = false;             // while a pass was under way
};

}  // namespace shelfd::sync

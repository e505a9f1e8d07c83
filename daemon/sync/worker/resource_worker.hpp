// Keeps one table fresh: waits until a pass is due or requested, makes it, remembers how it ended.
#pragma once

#include "mirror/mirror.hpp"
#include "runtime/async/async_event.hpp"
#include "sync/library/context.hpp"
#include "sync/library/progress.hpp"
#include "sync/library/wal_watch.hpp"
#include "sync/trouble/dead_set.hpp"
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

// Loop only. `context` and `resource` must outlive this object. Remote trouble never ends `run`; cancellation does.
class ResourceWorker {
public:
    // `changed` is called after every change of the report.
    ResourceWorker(LibraryContext& context, const config::Resource& resource, Rhythm rhythm,
                   std::function<void()> changed);

    // Reads what the mirror knows, so that a restart continues from there.
    asio::awaitable<Result<void>> load();
    // The same, but only what the status shows of the table, also while a pass is under way.
    asio::awaitable<Result<void>> read_summary();
    // Makes each pass when it is due, for ever.
    asio::awaitable<void> run();
    // Makes the passes due now, until done (`--once`). The parent has run before and does not run again.
    asio::awaitable<void> run_once();

    // Passes begin after those of the parent that are due at the same time, and soon after each of its passes that
    // changed the lists. `parent` runs whenever this worker does; both end together.
    void follow(ResourceWorker& parent);

    // Requests a pass that begins after this call, as soon as possible; for other waiting wishes see WishQueue. Returns
    // the value that `passes_ended` of the report has when that pass has ended.
    std::uint64_t request_pass(Wish wish = {});
    // Parses days or instants for a ledger; both ends are included. Errors: usage, if the table is no ledger or the
    // texts name no time range within it.
    Result<TimeRange> time_range(const std::string& from, const std::string& to) const;
    // What such a pass would be if it began now.
    PassPreview preview(Wish wish) const;
    // The same without sentences.
    PassForecast forecast(const Wish& wish) const;
    // The mirror was created anew: the table is filled now, or after the pass under way, whatever the schedule.
    void refill();
    // A token set arrived, which may unblock the resource.
    void wake_if_blocked();
    // The wall clock was set.
    void recheck_due() { wake_.notify_all(); }

    // From the begin of a pass until the mirror has recorded its end.
    bool is_busy() const { return stage_ != Stage::idle; }
    // The last walk proved nothing, and the next one follows at once.
    bool repeats_walk() const { return planner_.repeats_walk(); }
    const ResourceReport& report() const { return report_; }
    const std::string& name() const { return resource_.name; }
    // For lists by parent, the longest known one; "" if there is none.
    std::string list_path() const { return chooser_.path(); }
    std::optional<FilterTrouble> filter_trouble() const { return chooser_.filter_trouble(); }

private:
    enum class Stage {
        idle,
        choosing,  // a pass begins, of a kind not known yet
        fresh,     // an ordinary pass is under way
        backfill,  // a pass between ordinary ones is under way
    };

    asio::awaitable<void> wait_until_due();
    asio::awaitable<void> line_up_and_pass();
    asio::awaitable<WalkGate::Place> take_place();
    bool lacks_room() const;
    asio::awaitable<void> pass(WalkTurns::Turn& turn, WalkGate::Place& place);
    asio::awaitable<Round> choose(const std::optional<Wish>& wish);
    void judge(PassReport& ended, bool ordinary, bool walks_newest);
    WalkTurns::Claim claim() const;
    Wish as_due(Wish wish) const;
    bool is_pass_wanted() const { return planner_.left() <= Duration(0) || !wishes_.empty(); }
    bool is_about_to_pass() const;
    asio::awaitable<void> await_parent();
    void parent_changed();
    void notify_followers(const PassReport& pass);
    void record_slow_round(PassReport& pass) const;
    asio::awaitable<void> forget_trouble();
    asio::awaitable<void> show_scope();
    asio::awaitable<void> show_obstacle(std::optional<Obstacle> met);
    asio::awaitable<void> take_set();
    void plan_now();
    void wake_now();
    asio::awaitable<void> publish_trouble();
    // What the mirror reports after it has stored the state of the table.
    struct MirrorReply {
        Result<void> done;
        WalLook wal;
        std::optional<std::string> notice;
        bool rebuilt = false;
        std::vector<mirror::Repair> repairs;
        std::optional<Error> closed_to_readers;
        mirror::StoredState stored;  // read after that
    };
    MirrorReply write_state(const mirror::ResourceState& state);
    enum class LastError { stays, forgotten };
    asio::awaitable<void> store_state(LastError error = LastError::stays);
    asio::awaitable<void> empty_wal();
    void mirror_failed(const Error& error);
    asio::awaitable<void> read_again(bool rebuilt);

    LibraryContext& context_;
    const config::Resource& resource_;
    ResourceReport report_;
    PassBoard board_;  // writes `report_.progress`
    DuePlanner planner_;
    PassChooser chooser_;
    PollSlots polls_;
    WishQueue wishes_;
    bool feed_waits_ = false;                // for `empty_wal`
    std::optional<mirror::RunAsker> asker_;  // of the last pass, until the mirror has recorded it
    std::vector<std::string> asked_by_;      // who wants the pass under way and the one that repeats it; see Wish
    OutcomeLog log_;
    NewestWindowTrouble newest_;
    UnreadPasses unread_;
    std::optional<TableTrouble> before_obstacle_;  // set while an obstacle of the pass under way is shown instead
    Stage stage_ = Stage::idle;
    DeadSetNotice dead_set_;
    bool waits_for_parent_ = true;  // for rows that name its lists; true until the first round
    bool set_arrived_ = false;      // since the last pass began
    AsyncEvent wake_;
    AsyncEvent ended_;                        // a pass has ended
    ResourceWorker* parent_ = nullptr;        // its rows name our lists
    std::vector<ResourceWorker*> followers_;  // our rows name their lists
    bool parent_changed_ = false;             // during the pass under way
};

}  // namespace shelfd::sync

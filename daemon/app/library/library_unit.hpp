// One library at run time: its token set, its mirror and its tables, opened and closed together.
#pragma once

#include "app/library/library_recorder.hpp"
#include "app/library/library_tables.hpp"
#include "app/library/library_tasks.hpp"
#include "app/library/side_files.hpp"
#include "app/library/snapshot_keeper.hpp"
#include "app/library/token_set_observer.hpp"
#include "app/services/daemon_services.hpp"
#include "config/model/model.hpp"
#include "mirror/mirror.hpp"
#include "oauth/keeper/token_keeper.hpp"
#include "sync/library/canary_choice.hpp"
#include "sync/library/context.hpp"
#include "sync/library/identity_check.hpp"

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace shelfd::app {

// Loop only. Order: open, start (or run_once, or neither if another library could not be opened), stop, destruction.
class LibraryUnit {
public:
    LibraryUnit(const LibraryUnit&) = delete;
    LibraryUnit& operator=(const LibraryUnit&) = delete;
    ~LibraryUnit() { services_.sharers.remove(limiter_, *this); }

    // Creates the library's tables and locks its token journals; if the journals are not available, the token set
    // reports that and tries again. Errors: storage, permission; usage for a mirror of a newer shelfd, config for an
    // unknown time zone, busy if another daemon has the mirror. `before_set`, if any, is awaited before the token store
    // is opened: then this process must not have it open.
    static asio::awaitable<Result<std::unique_ptr<LibraryUnit>>>
    open(std::shared_ptr<const config::Library> library, DaemonServices& services,
         std::function<asio::awaitable<void>()> before_set = {});

    // Starts the timer of the token set and the schedules; a paused library gets only the timer.
    void start();
    // Runs every schedule once, one resource after the other (`--once`). Returns early if there is a `bug`.
    asio::awaitable<void> run_once();
    // Call before `cancel` if the library is to be opened again: callers that still wait then learn why.
    void announce_restart(std::string why) { restarts_ = std::move(why); }
    // Asks passes to end at their next wait; returns at once. `stop` does the rest.
    void cancel();
    // Ends passes, lets a token exchange under way complete, closes the mirror and releases the locks. Must not be
    // cancelled: it disables cancellation for the whole stack of coroutines that awaits it, for good. A caller that is
    // to be cancelled later gives it a stack of its own (co_spawn). `before_close` is called once only mirror and token
    // set are to be closed: after that the unit can only be destroyed.
    asio::awaitable<void> stop(std::function<void()> before_close = {});
    // The bug of a failed task: its passes end, its token set is kept. Only another unit runs passes again.
    const std::optional<Bug>& bug() const { return tasks_.bug(); }
    // True after `cancel`, `stop` or a bug.
    bool is_stopped() const { return phase_ >= Phase::ending || bug(); }
    // The error for callers that still wait then.
    Error stopped_error() const;
    // Closes the mirror when nobody uses it; call after anything that may have opened it. Cheap.
    void let_mirror_rest();
    // For a task of the daemon that failed while it worked for this library: a bug, as if a task of its own had failed.
    void fail(const std::string& task, const std::exception_ptr& error) { tasks_.fail(task, error); }
    // Returns once `is_stopped`.
    asio::awaitable<void> stopping() const;

    // Hold one while using the unit across an await: `stop` waits for its end, which must come soon after is_stopped().
    class Use {
    public:
        explicit Use(std::shared_ptr<LibraryUnit> unit) : unit_(std::move(unit)) { ++unit_->users_; }
        Use(Use&&) = default;
        Use& operator=(Use&&) = delete;
        ~Use();
        LibraryUnit* operator->() const { return unit_.get(); }
        LibraryUnit& operator*() const { return *unit_; }

    private:
        std::shared_ptr<LibraryUnit> unit_;
    };

    const config::Library& library() const { return library_; }
    const std::shared_ptr<const config::Library>& shared_library() const { return shared_library_; }
    oauth::TokenKeeper& keeper() { return *keeper_; }
    const oauth::TokenKeeper& keeper() const { return *keeper_; }
    budget::Limiter& limiter() { return limiter_; }
    const budget::Limiter& limiter() const { return limiter_; }
    // All that run at its limiter, itself included; some may have no tables yet.
    const std::vector<const LibraryUnit*>& limit_sharers() const { return services_.sharers.of(limiter_); }
    bool has_tables() const { return tables_ != nullptr; }
    LibraryTables& tables() { return *tables_; }
    const LibraryTables& tables() const { return *tables_; }
    // Since when the token set is in its present state.
    Instant token_state_since() const { return token_set_->since(keeper_->status()); }
    // Something that tables wait for or show was changed from outside: the wall clock, the token set.
    void recheck_tables();
    // The token set works again: tables that were blocked by it try again now.
    void token_set_changed();
    // Writes token set, request limit and these consumers to the mirror if they changed since the last call; without
    // consumers, those in the mirror stay. Hold a Use until it ends.
    asio::awaitable<void> record(std::optional<std::vector<mirror::ConsumerRecord>> consumers);
    LibraryRecorder& recorder() { return *recorder_; }
    const LibraryRecorder& recorder() const { return *recorder_; }
    // Gives the mirror to its `readers` again, whatever happened to its access lists. Hold a Use until it ends.
    asio::awaitable<void> renew_access();
    // Why these readers cannot read it; empty: they can.
    const std::optional<Error>& closed_to_readers() const { return context_->state.closed_to_readers; }
    Instant now() const { return services_.clock.now(); }
    std::string mirror_path() const { return mirror_path_; }
    // What shows the daemon's log.
    const std::string& journal() const { return services_.host.journal; }
    // Hold a Use until a snapshot under way is done.
    SnapshotKeeper& snapshots();
    SnapshotKeeper::State snapshot_state() const { return snapshots_ ? snapshots_->state() : SnapshotKeeper::State(); }
    const sync::WalState& wal() const { return context_->state.wal; }
    // For requests outside of passes; hold a Use until they end.
    sync::LibraryContext& context() { return *context_; }
    const schedule::QuietHours& quiet() const { return context_->quiet; }
    const sync::IdentityCheck& identity() const { return *identity_; }
    const std::vector<mirror::Repair>& repairs() const { return context_->state.repairs; }
    const budget::LibraryTally& sent() const { return context_->state.sent; }

private:
    // `ending`: cancelled after it had begun, so that its token journals must be repaired; `closed`: cancelled before.
    enum class Phase { opened, running, ending, closed };

    LibraryUnit(std::shared_ptr<const config::Library> library, DaemonServices& services, budget::Limiter& limiter);
    asio::awaitable<Result<void>> open_mirror(const std::vector<sync::Rhythm>& rhythms);
    asio::awaitable<Result<void>> open_keeper();
    asio::awaitable<Result<void>> open_tables(const std::vector<sync::Rhythm>& rhythms);
    asio::awaitable<void> note_place();
    void mirror_replaced(const std::string& filled);
    void begin();
    void begin_schedules();
    asio::awaitable<void> pass_once();
    asio::awaitable<void> rest_mirror();
    void record_while_open();
    void record_at_once();
    asio::awaitable<void> record_alone();
    Bug record_bug(std::string what);

    std::shared_ptr<const config::Library> shared_library_;
    const config::Library& library_ = *shared_library_;
    DaemonServices& services_;
    budget::Limiter& limiter_;
    Lane lane_;
    std::string mirror_path_;
    std::unique_ptr<mirror::Mirror> mirror_;
    std::unique_ptr<oauth::TokenKeeper> keeper_;
    std::unique_ptr<TokenSetObserver> token_set_;
    std::unique_ptr<LibraryRecorder> recorder_;
    std::unique_ptr<SideFiles> side_files_;
    std::unique_ptr<sync::IdentityCheck> identity_;
    std::unique_ptr<sync::LibraryContext> context_;
    std::unique_ptr<sync::CanaryChoice> canary_;  // without `identity`
    std::unique_ptr<SnapshotKeeper> snapshots_;   // from its first use on
    std::unique_ptr<LibraryTables> tables_;
    Phase phase_ = Phase::opened;
    std::string restarts_;  // why it is opened again; "" = it is not
    struct UnderWay {
        bool rest = false;    // a task waits until the mirror may be closed
        bool record = false;  // a task writes what `record` describes
    };
    UnderWay under_way_;
    bool is_passed_once_ = false;  // `run_once` has finished
    std::size_t users_ = 0;
    AsyncEvent unused_;
    mutable AsyncEvent stopping_;  // also notified for is_passed_once_
    LibraryTasks tasks_;
};

}  // namespace shelfd::app

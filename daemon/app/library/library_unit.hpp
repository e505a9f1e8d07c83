// One library as it runs: its token set, its mirror and a worker for each resource, opened and closed together.
#pragma once

#include "app/library/daemon_services.hpp"
#include "app/library/library_tasks.hpp"
#include "app/library/snapshot_keeper.hpp"
#include "config/model/model.hpp"
#include "mirror/mirror.hpp"
#include "oauth/keeper/token_keeper.hpp"
#include "sync/details/detail_worker.hpp"
#include "sync/library/canary_choice.hpp"
#include "sync/library/context.hpp"
#include "sync/library/identity_check.hpp"
#include "sync/worker/resource_worker.hpp"

#include <memory>
#include <string>
#include <vector>

namespace shelfd::app {

// Loop only. open, start (or run_once; or neither, when something else could not be opened), stop, destroy, in this
// order.
class LibraryUnit {
public:
    // Makes the library's tables and claims its token journals; where those cannot be had, the token set says so and
    // tries again. Errors: storage, permission; usage for a mirror of a newer shelfd, config for an unknown time zone,
    // busy where another daemon holds the mirror.
    static asio::awaitable<Result<std::unique_ptr<LibraryUnit>>> open(std::shared_ptr<const config::Library> library,
                                                                      DaemonServices& parts);

    // Begins the timer of the token set, and the schedules; paused libraries get the timer alone.
    void start();
    // Every schedule once, the resources one after the other (`--once`). Returns early when `bug` says something.
    asio::awaitable<void> run_once();
    // Asks passes to end at their next wait; returns at once. `stop` does the rest.
    void cancel();
    // Ends passes, lets a token exchange under way end, lets go of the mirror and the locks. Not to be cancelled: it
    // switches cancellation off for the whole stack of coroutines that awaits it, for good. Who wants to be cancelled
    // later gives it a stack of its own (co_spawn).
    asio::awaitable<void> stop();
    // A task of it failed: its passes have ended or end now, and its token set is kept. Only another unit begins
    // passes again.
    const std::optional<Bug>& bug() const { return tasks_.bug(); }
    // By `stop`, or by a bug.
    bool is_stopped() const { return stopped_ || bug(); }
    // What whoever still waits for it is told then.
    Error stopped_error() const;
    // What nobody uses is let go of: to be called after whatever may have opened the mirror. Cheap.
    void let_mirror_rest();
    // Returns once `is_stopped`.
    asio::awaitable<void> stopping() const;

    // Held by whoever uses the unit across an await: `stop` waits for its end, which must come soon once is_stopped().
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
    const budget::Limiter& limiter() const { return limiter_; }
    const std::vector<std::unique_ptr<sync::ResourceWorker>>& workers() const { return workers_; }
    // nullptr when there is none of this name.
    sync::ResourceWorker* find_worker(const std::string& resource) const;
    const std::vector<std::unique_ptr<sync::DetailWorker>>& detail_workers() const { return detail_workers_; }
    // Somebody asks for a pass over the list: what keeps its details may be over, too.
    void wake_details_of(const std::string& list);
    // The token set changed for the better: what was blocked by it tries again now.
    void token_set_changed();
    Instant now() const { return parts_.clock.now(); }
    std::string mirror_path() const { return mirror_path_; }
    // Held by a Use until one that is made ends.
    SnapshotKeeper& snapshots();
    SnapshotKeeper::State snapshot_tale() const { return snapshots_ ? snapshots_->state() : SnapshotKeeper::State(); }
    // Of the mirror's columns, in the library's lane; held by a Use until it ends.
    asio::awaitable<Result<mirror::RetypeOutcome>> retype(std::string resource, std::string column);
    // Rows that the service does not list any more and that wait for a person.
    asio::awaitable<Result<mirror::HeldList>> held(std::string resource);
    // Waits for a pass that is under way. Errors: as Mirror::decide, and stopped.
    asio::awaitable<Result<mirror::HeldOutcome>> decide(std::string resource, mirror::HeldDecision decision,
                                                        AsyncEvent& changed);
    const sync::WalState& wal() const { return context_->state.wal; }
    // For questions that are no passes; held by a Use until they end.
    sync::LibraryContext& context() { return *context_; }
    const sync::IdentityCheck& identity() const { return *identity_; }
    const std::vector<mirror::Repair>& repairs() const { return context_->state.repairs; }
    const budget::Ledger& ledger() const { return context_->state.ledger; }

private:
    LibraryUnit(std::shared_ptr<const config::Library> library, DaemonServices& parts, budget::Limiter& limiter);
    void begin();
    void begin_schedules();
    asio::awaitable<void> pass_once();
    Bug record_bug(std::string what);
    void follow_parents();
    // Those whose rows name the lists of others come before them.
    std::vector<sync::ResourceWorker*> parents_first() const;
    Result<void> read_rhythms();
    asio::awaitable<Result<void>> open_mirror();
    asio::awaitable<Result<void>> open_keeper();
    asio::awaitable<Result<void>> load_workers();
    asio::awaitable<Result<void>> load_details();
    // The report of worker number `place` changed: its details may have to follow.
    void list_changed(std::size_t place);
    oauth::TokenKeeper::Settings keeper_settings() const;
    oauth::TokenKeeper::Services keeper_services();
    oauth::CanarySpec canary_spec() const;
    oauth::CanarySpec canary_of(const config::Resource& list) const;
    asio::awaitable<Result<void>> compare_generations();
    asio::awaitable<void> record_generation();
    asio::awaitable<Result<void>> mark_paused();
    template <typename Workers>
    asio::awaitable<Result<void>> mark_tables_of(const Workers& workers);
    asio::awaitable<Result<void>> mark_paused(std::string table, mirror::TableState state);
    void keeper_changed();
    void keep_readable();
    asio::awaitable<void> rest_mirror();
    asio::awaitable<void> replace_side_files();

    std::shared_ptr<const config::Library> shared_library_;
    const config::Library& library_ = *shared_library_;
    DaemonServices& parts_;
    budget::Limiter& limiter_;
    Lane lane_;
    std::unique_ptr<mirror::Mirror> mirror_;
    std::unique_ptr<oauth::TokenKeeper> keeper_;
    std::unique_ptr<sync::IdentityCheck> identity_;
    std::unique_ptr<sync::LibraryContext> context_;
    std::unique_ptr<SnapshotKeeper> snapshots_;   // from its first use on
    std::unique_ptr<sync::CanaryChoice> canary_;  // where no `identity` is configured
    std::vector<sync::Rhythm> rhythms_;           // of the resources, in their order
    std::string mirror_path_;
    std::uint64_t noted_generation_ = 0;  // of the token set, as the mirror knows it
    bool side_file_is_gone_ = false;      // -wal or -shm of the mirror, and nobody has looked yet
    bool access_was_usable_ = false;
    bool began_ = false;
    bool is_resting_ = false;
    bool stopped_ = false;
    bool has_passed_once_ = false;
    std::size_t users_ = 0;
    AsyncEvent unused_;
    AsyncEvent list_changed_;      // see list_changed()
    mutable AsyncEvent stopping_;  // or what `run_once` waits for has ended
    std::vector<std::unique_ptr<sync::ResourceWorker>> workers_;
    std::vector<std::unique_ptr<sync::DetailWorker>> detail_workers_;  // of those resources that have details
    LibraryTasks tasks_;
};

}  // namespace shelfd::app

#include "app/library/library_unit.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace shelfd::app {
namespace {

// More than anybody reads; how many there are in all is told, too.
constexpr std::size_t listed_rows = 1000;

}  // namespace

// Who may only read needs -wal and -shm. Any other program that closes the mirror as the last one removes both.
void LibraryUnit::keep_readable()
{
    const std::filesystem::path file(mirror_path_);
    auto gone = [this, name = file.filename().string()](const std::string& gone_name) {
        const auto is_side_file = gone_name == name + "-wal" || gone_name == name + "-shm";
        if (is_side_file && !stopped_ && !std::exchange(side_file_is_gone_, true)) {
            tasks_.keep("the mirror's side files", replace_side_files());
        }
    };
    const auto directory = file.parent_path().string();
    if (!parts_.directories.watch(directory, std::move(gone)) && !std::exchange(parts_.told_unwatched, true)) {
        parts_.log.warning(
            fmt::format("cannot watch {}: where another program removes -wal or -shm of a mirror, nobody may be able "
                        "to read that until its next pass; raise fs.inotify.max_user_watches and "
                        "fs.inotify.max_user_instances (sysctl) and restart the daemon",
                        directory),
            {{"library", library_.name}});
    }
}

asio::awaitable<void> LibraryUnit::replace_side_files()
{
    side_file_is_gone_ = false;
    auto work = [this] { return mirror_->keep_readable(); };
    if (const auto kept = co_await lane_.run(work); !kept) {
        // The pass that comes next meets the same trouble, and reports it.
        parts_.log.debug("readers may be locked out: " + kept.error().text(), {{"library", library_.name}});
    }
}

// The tables themselves say that nothing moves, and stop saying so.
asio::awaitable<Result<void>> LibraryUnit::mark_paused()
{
    auto lists = mark_tables_of(workers_);
    auto marked = co_await std::move(lists);
    if (marked) {
        auto details = mark_tables_of(detail_workers_);
        marked = co_await std::move(details);
    }
    co_return marked;
}

template <typename Workers>
asio::awaitable<Result<void>> LibraryUnit::mark_tables_of(const Workers& workers)
{
    for (const auto& worker : workers) {
        auto marked = co_await mark_paused(worker->name(), worker->report().summary.state);
        if (marked) {
            marked = co_await worker->load();
        }
        if (!marked) {
            co_return marked;
        }
    }
    co_return Result<void>();
}

asio::awaitable<Result<void>> LibraryUnit::mark_paused(std::string table, mirror::TableState state)
{
    if ((state == mirror::TableState::paused) == library_.paused) {
        co_return Result<void>();
    }
    mirror::ResourceState told;
    told.blocked = library_.paused ? mirror::Blocked::paused : mirror::Blocked::none;
    told.why = library_.paused ? "paused in the configuration" : "";
    auto set = [this, &table, &told] { return mirror_->set_state(table, told); };
    co_return co_await lane_.run(set);
}

SnapshotKeeper& LibraryUnit::snapshots()
{
    if (!snapshots_) {
        snapshots_ = std::make_unique<SnapshotKeeper>(*context_, parts_, [this] {
            return std::any_of(workers_.begin(), workers_.end(),
                               [](const auto& worker) { return worker->report().summary.as_of.has_value(); });
        });
        if (is_stopped()) {
            snapshots_->close(stopped_error());
        }
    }
    return *snapshots_;
}

asio::awaitable<Result<mirror::RetypeOutcome>> LibraryUnit::retype(std::string resource, std::string column)
{
    auto work = [this, &resource, &column] { return mirror_->retype(resource, column); };
    co_return co_await lane_.run(work);
}

asio::awaitable<Result<mirror::HeldList>> LibraryUnit::held(std::string resource)
{
    auto work = [this, &resource] { return mirror_->held(resource, listed_rows); };
    co_return co_await lane_.run(work);
}

asio::awaitable<Result<mirror::HeldOutcome>> LibraryUnit::decide(std::string resource, mirror::HeldDecision decision,
                                                                 AsyncEvent& changed)
{
    auto* const worker = find_worker(resource);
    if (worker == nullptr) {
        co_return Error(ErrorKind::not_found, fmt::format("{} has no resource {}", library_.name, resource));
    }
    auto work = [this, &resource, &decision]() -> Result<mirror::HeldOutcome> {
        SHELFD_TRY_ASSIGN(decided, mirror_->decide(resource, decision));
        SHELFD_TRY(mirror_->checkpoint_feed());
        return std::move(decided);
    };
    auto outcome = co_await lane_.run(work);
    while (!outcome && outcome.error().kind() == ErrorKind::busy && worker->is_busy()) {
        co_await changed.wait();
        if (is_stopped()) {
            co_return Error(ErrorKind::stopped, stopped_error().text() + "; nothing was decided");
        }
        if (!worker->is_busy()) {
            outcome = co_await lane_.run(work);
        }
    }
    if (outcome) {
        // Status tells what the table is now, not what it was after the last pass.
        SHELFD_CO_TRY(co_await worker->load());
        parts_.changed();
    }
    co_return outcome;
}

}  // namespace shelfd::app

#include "app/library/library_unit.hpp"

#include "app/library/mirror_settings.hpp"
#include "base/digits.hpp"
#include "sync/pass/pass_run.hpp"
#include "sync/plan/configured_rhythm.hpp"
#include "sync/worker/idle_rest.hpp"

#include <boost/asio/this_coro.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

namespace shelfd::app {

Error LibraryUnit::stopped_error() const
{
    if (bug() && !stopped_) {
        return {ErrorKind::stopped, fmt::format("{} is stopped by a bug ({}) and begins again at {}", library_.name,
                                                bug()->what, bug()->again_at.to_short_text())};
    }
    return {ErrorKind::stopped, "the daemon stops, or was given another configuration for this library"};
}

LibraryUnit::Use::~Use()
{
    if (unit_ && --unit_->users_ == 0) {
        unit_->unused_.notify_all();
    }
}

LibraryUnit::LibraryUnit(std::shared_ptr<const config::Library> library, DaemonServices& parts,
                         budget::Limiter& limiter)
    : shared_library_(std::move(library)), parts_(parts), limiter_(limiter), lane_(parts.workers.lane()),
      tasks_(parts.executor, [this](std::string what) { return record_bug(std::move(what)); })
{
}

asio::awaitable<Result<std::unique_ptr<LibraryUnit>>> LibraryUnit::open(std::shared_ptr<const config::Library> library,
                                                                        DaemonServices& parts)
{
    SHELFD_CO_TRY_ASSIGN(limiter, parts.limiter_for(*library));
    std::unique_ptr<LibraryUnit> unit(new LibraryUnit(std::move(library), parts, *limiter));
    if (auto read = unit->read_rhythms(); !read) {
        co_return std::move(read.error()).in("library " + unit->library_.name);
    }
    if (auto opened = co_await unit->open_mirror(); !opened) {
        co_return std::move(opened.error()).in("mirror of " + unit->library_.name);
    }
    if (auto opened = co_await unit->open_keeper(); !opened) {
        co_return std::move(opened.error()).in("token set of " + unit->library_.name);
    }
    if (auto loaded = co_await unit->load_workers(); !loaded) {
        co_return std::move(loaded.error()).in("mirror of " + unit->library_.name);
    }
    if (unit->mirror_->handle_wanted_elsewhere()) {
        auto rest = [&unit] {
            const auto bytes = unit->mirror_->wal_bytes();
            (void)unit->mirror_->close_idle();  // what is wrong with the file is met by the first pass
            return bytes;
        };
        unit->context_->state.wal.bytes = co_await unit->lane_.run(rest);
    }
    co_return unit;
}

Result<void> LibraryUnit::read_rhythms()
{
    for (const auto& resource : library_.resources) {
        auto rhythm = sync::rhythm_of(resource);
        if (!rhythm) {
            return std::move(rhythm.error()).in("resource " + resource.name);
        }
        rhythms_.push_back(std::move(*rhythm));
    }
    return {};
}

asio::awaitable<Result<void>> LibraryUnit::open_mirror()
{
    // Here, not by a worker: what stays lies apart from the garbage of opening (measured: 8 KiB a library).
    mirror_ = std::make_unique<mirror::Mirror>(mirror_options(library_, parts_));
    mirror_path_ = mirror_->path();
    auto specs = resource_specs(library_, rhythms_);
    std::optional<std::string> notice;
    auto work = [this, &specs, &notice]() -> Result<void> {
        auto declared = mirror_->declare(std::move(specs));
        notice = mirror_->take_notice();
        return declared;
    };
    auto opened = co_await lane_.run(work);
    if (notice) {
        parts_.log.warning(*notice, {{"library", library_.name}});
    }
    co_return opened;
}

// A journal behind the generation that its mirror has seen is an old one that somebody restored.
asio::awaitable<Result<void>> LibraryUnit::compare_generations()
{
    auto read = [this] { return mirror_->fact(mirror::Fact::token_generation); };
    SHELFD_CO_TRY_ASSIGN(noted, co_await lane_.run(read));
    if (noted) {
        const auto generation = number_in(*noted);
        if (!generation) {
            co_return Error(ErrorKind::corrupt,
                            fmt::format("{} is damaged: the generation of the token set that it names is no number; "
                                        "move it away, and it is filled anew",
                                        mirror_->path()));
        }
        keeper_->record_mirror_generation(*generation);
        noted_generation_ = *generation;
    }
    keeper_->set_observer([this] { keeper_changed(); });
    co_return Result<void>();
}

void LibraryUnit::keeper_changed()
{
    const auto status = keeper_->status();
    if (status.generation > noted_generation_ && !stopped_) {
        noted_generation_ = status.generation;
        tasks_.keep("the generation of the token set", record_generation());
    }
    if (status.access_usable && !access_was_usable_) {
        token_set_changed();
    }
    access_was_usable_ = status.access_usable;
    parts_.changed();
}

asio::awaitable<void> LibraryUnit::record_generation()
{
    // By value: the next generation may come while the lane writes this one.
    auto note = [this, generation = std::to_string(noted_generation_)] {
        return mirror_->set_fact(mirror::Fact::token_generation, generation);
    };
    if (const auto noted = co_await lane_.run(note); !noted) {
        parts_.log.warning(
            fmt::format("mirror of {}: cannot note the token generation: {}", library_.name, noted.error().text()),
            {{"library", library_.name}});
    }
}

asio::awaitable<Result<void>> LibraryUnit::load_workers()
{
    identity_ = std::make_unique<sync::IdentityCheck>(parts_.clock, *keeper_);
    context_.reset(new sync::LibraryContext{library_, parts_.clock, parts_.client, limiter_, *keeper_, *mirror_, lane_,
                                            parts_.log, parts_.random, *identity_, parts_.executor, parts_.walk_memory,
                                            parts_.walk_gate});
    auto read_repairs = [this] { return mirror_->repairs(); };
    context_->state.repairs = co_await lane_.run(read_repairs);
    if (!library_.service.identity) {
        canary_ = std::make_unique<sync::CanaryChoice>(
            *context_, [this](const config::Resource& list) { return canary_of(list); });
        SHELFD_CO_TRY(co_await canary_->load());
        identity_->set_stand_in(*canary_);
    }
    for (std::size_t i = 0; i < rhythms_.size(); ++i) {
        auto passed = [this, i] { list_changed(i); };
        auto worker = std::make_unique<sync::ResourceWorker>(*context_, library_.resources[i], rhythms_[i], passed);
        SHELFD_CO_TRY(co_await worker->load());
        workers_.push_back(std::move(worker));
    }
    rhythms_ = std::vector<sync::Rhythm>();  // not {}, which keeps the memory
    follow_parents();
    context_->owner.pass_ended = [this] { let_mirror_rest(); };
    context_->owner.failed = [this](const std::string& table, const std::exception_ptr& error) {
        tasks_.fail(table, error);
    };
    context_->owner.refill = [this](const std::string& filled) {
        context_->state.claimed_for.clear();
        noted_generation_ = 0;
        keeper_changed();
        for (const auto& worker : workers_) {
            if (worker->name() != filled) {
                worker->refill();
            }
        }
        if (began_ && !stopped_) {
            keep_readable();  // the directory may be another one, too
        }
    };
    SHELFD_CO_TRY(co_await load_details());
    co_return co_await mark_paused();
}

sync::ResourceWorker* LibraryUnit::find_worker(const std::string& resource) const
{
    const auto found = std::find_if(workers_.begin(), workers_.end(),
                                    [&resource](const auto& worker) { return worker->name() == resource; });
    return found == workers_.end() ? nullptr : found->get();
}

void LibraryUnit::start()
{
    begin();
    keep_readable();
    if (!library_.paused) {
        begin_schedules();
    }
}

void LibraryUnit::begin_schedules()
{
    for (auto* worker : parents_first()) {
        tasks_.spawn(worker->name(), worker->run());
    }
    for (const auto& worker : detail_workers_) {
        tasks_.spawn(worker->name(), worker->run());
    }
    if (library_.snapshot_every) {
        tasks_.spawn("snapshots", snapshots().run());
    }
}

void LibraryUnit::begin()
{
    began_ = true;
    access_was_usable_ = keeper_->status().access_usable;
    tasks_.keep("the token set", keeper_->run());
    let_mirror_rest();
}

void LibraryUnit::let_mirror_rest()
{
    const auto& mirror = context_->mirror;
    if (began_ && !is_stopped() && !is_resting_ && (mirror.is_open() || mirror.has_news())) {
        is_resting_ = true;
        tasks_.spawn("the rest of the mirror", rest_mirror());
    }
}

asio::awaitable<void> LibraryUnit::rest_mirror()
{
    co_await sync::rest_when_idle(*context_, workers_, detail_workers_);
    is_resting_ = false;
}

asio::awaitable<void> LibraryUnit::run_once()
{
    begin();
    tasks_.spawn("a run of every schedule", pass_once());
    while (!has_passed_once_ && !is_stopped()) {
        co_await stopping_.wait();
    }
}

// A task of its own, so that a bug ends it, wherever it waits.
asio::awaitable<void> LibraryUnit::pass_once()
{
    co_await keeper_->wait_idle();
    for (auto* worker : parents_first()) {
        if (!library_.paused) {
            co_await worker->run_once();
        }
    }
    for (const auto& worker : detail_workers_) {
        if (!library_.paused) {
            co_await worker->run_once();
        }
    }
    if (library_.snapshot_every && !library_.paused) {
        co_await snapshots().make_if_due();
    }
    has_passed_once_ = true;
    stopping_.notify_all();
}

Bug LibraryUnit::record_bug(std::string what)
{
    const auto bug = parts_.bugs[library_.name].add(std::move(what), parts_.clock.now(), parts_.clock.boot_now());
    parts_.log.error(bug_text(library_.name, bug), {{"library", library_.name}});
    if (snapshots_) {
        snapshots_->close({ErrorKind::stopped, "stopped by a bug: " + bug.what});
    }
    stopping_.notify_all();
    parts_.changed();
    return bug;
}

void LibraryUnit::cancel()
{
    stopped_ = true;
    if (snapshots_) {
        snapshots_->close(stopped_error());
    }
    stopping_.notify_all();
    tasks_.cancel();
}

asio::awaitable<void> LibraryUnit::stop()
{
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    cancel();
    parts_.changed();
    if (began_) {
        // An exchange that the journal left open is landed by run() alone: without it there is nothing to wait for.
        co_await keeper_->wait_exchange_done();
    }
    co_await tasks_.join();
    parts_.directories.forget(std::filesystem::path(mirror_path_).parent_path());
    while (users_ > 0) {
        co_await unused_.wait();
    }
    if (began_) {
        co_await keeper_->repair_journals_at_exit();
    }
    auto close = [this] { mirror_.reset(); };
    co_await lane_.run(close);
    keeper_->set_observer({});
    keeper_.reset();
}

asio::awaitable<void> LibraryUnit::stopping() const
{
    while (!is_stopped()) {
        co_await stopping_.wait();
    }
}

}  // namespace shelfd::app

#include "app/library/library_unit.hpp"

#include "app/library/keeper_settings.hpp"
#include "app/library/mirror_settings.hpp"
#include "app/services/restarts.hpp"
#include "app/stores/library_places.hpp"
#include "sync/plan/configured_rhythm.hpp"

#include <boost/asio/this_coro.hpp>
#include <fmt/core.h>

#include <utility>

namespace shelfd::app {

Error LibraryUnit::stopped_error() const
{
    if (!restarts_.empty()) {
        return restart_error(library_.name, restarts_);
    }
    if (bug() && phase_ < Phase::ending) {
        return {ErrorKind::stopped, fmt::format("{} was stopped by a bug ({}); it restarts at {}", library_.name,
                                                bug()->what, bug()->again_at.to_short_text())};
    }
    return {ErrorKind::stopped, "the daemon is stopping, or the configuration of this library has changed"};
}

LibraryUnit::Use::~Use()
{
    if (unit_ && --unit_->users_ == 0) {
        unit_->unused_.notify_all();
    }
}

LibraryUnit::LibraryUnit(std::shared_ptr<const config::Library> library, DaemonServices& services,
                         budget::Limiter& limiter)
    : shared_library_(std::move(library)), services_(services), limiter_(limiter),
      lane_(services.workers.mirrors.lane()),
      tasks_(services.executor, [this](std::string what) { return record_bug(std::move(what)); })
{
    services.sharers.add(limiter, *this);
}

asio::awaitable<Result<std::unique_ptr<LibraryUnit>>>
LibraryUnit::open(std::shared_ptr<const config::Library> library, DaemonServices& services,
                  std::function<asio::awaitable<void>()> before_set)
{
    SHELFD_CO_TRY_ASSIGN(limiter, services.limiters.of(*library));
    std::unique_ptr<LibraryUnit> unit(new LibraryUnit(std::move(library), services, *limiter));
    const auto& name = unit->library_.name;
    auto rhythms = rhythms_of(unit->library_);
    if (!rhythms) {
        co_return std::move(rhythms.error()).in("library " + name);
    }
    if (auto opened = co_await unit->open_mirror(*rhythms); !opened) {
        co_return std::move(opened.error()).in("mirror of " + name);
    }
    if (before_set) {
        auto preparing = before_set();
        co_await std::move(preparing);
    }
    if (auto opened = co_await unit->open_keeper(); !opened) {
        co_return std::move(opened.error()).in("token set of " + name);
    }
    co_await unit->note_place();
    if (auto opened = co_await unit->open_tables(*rhythms); !opened) {
        co_return std::move(opened.error()).in("mirror of " + name);
    }
    if (unit->mirror_->handle_wanted_elsewhere()) {
        auto rest = [&unit] {
            const auto bytes = unit->mirror_->wal_bytes();
            (void)unit->mirror_->close_idle();  // the first pass reports errors of the file
            return bytes;
        };
        unit->context_->state.wal.bytes = co_await unit->lane_.run(rest);
    }
    co_return unit;
}

asio::awaitable<Result<void>> LibraryUnit::open_mirror(const std::vector<sync::Rhythm>& rhythms)
{
    // Constructed here, not by a worker: so its memory is apart from what opening frees (measured: 8 KiB a library).
    mirror_ = std::make_unique<mirror::Mirror>(mirror_options(library_, services_));
    mirror_path_ = mirror_->path();
    auto specs = resource_specs(library_, rhythms);
    std::optional<std::string> notice;
    auto work = [this, &specs, &notice]() -> Result<void> {
        if (const auto placed = mirror_place(library_.name, services_).check(); !placed) {
            // The daemon stays and tries again: a restart would not mount anything.
            return Error(ErrorKind::needs_person, placed.error().text());
        }
        auto declared = mirror_->declare(std::move(specs));
        notice = mirror_->take_notice();
        return declared;
    };
    auto opened = co_await lane_.run(work);
    if (notice) {
        services_.log.warning(*notice, {{"library", library_.name}});
    }
    recorder_ = std::make_unique<LibraryRecorder>(*mirror_, lane_, services_.log, library_.name);
    side_files_ = std::make_unique<SideFiles>(services_.directories, *mirror_, lane_, tasks_, services_.log,
                                              library_.name, [this] { let_mirror_rest(); });
    co_return opened;
}

asio::awaitable<Result<void>> LibraryUnit::open_keeper()
{
    auto count_canary = [this](std::uint32_t requests) {
        if (context_) {
            context_->state.sent.of("").count(budget::Reason::canary, requests);
        }
    };
    auto opening = oauth::TokenKeeper::open(keeper_settings(library_, services_),
                                            keeper_services(library_, services_, limiter_, std::move(count_canary)),
                                            store_of(library_, services_));
    keeper_ = co_await std::move(opening);
    auto changed = [this] {
        services_.users->record(library_, keeper_->user());
        services_.changed();
    };
    TokenSetObserver::Listeners listeners{[this] { token_set_changed(); }, std::move(changed),
                                          [this] { record_at_once(); }, [this] { recheck_tables(); }};
    token_set_ = std::make_unique<TokenSetObserver>(
        services_.clock, *keeper_, *mirror_, lane_, tasks_, services_.log, library_.name,
        GenerationNote(generation_note_of(services_.host.refuge, library_.name)), std::move(listeners));
    co_return co_await token_set_->open();
}

asio::awaitable<Result<void>> LibraryUnit::open_tables(const std::vector<sync::Rhythm>& rhythms)
{
    identity_ = std::make_unique<sync::IdentityCheck>(services_.clock, *keeper_);
    context_.reset(new sync::LibraryContext{library_, services_.clock, services_.client, limiter_, *keeper_, *mirror_,
                                            lane_, services_.log, services_.random, *identity_, services_.executor,
                                            services_.walk_memory, services_.walk_gate});
    SHELFD_CO_TRY_ASSIGN(quiet, sync::quiet_hours_of(library_.service));
    context_->quiet = std::move(quiet);
    auto read_repairs = [this] { return mirror_->repairs(); };
    context_->state.repairs = co_await lane_.run(read_repairs);
    auto read_access = [this] { return mirror_->closed_to_readers(); };
    context_->state.closed_to_readers = co_await lane_.run(read_access);
    if (!library_.service.identity) {
        auto spec_of = [this](const config::Resource& list) { return canary_of(library_, list); };
        canary_ = std::make_unique<sync::CanaryChoice>(*context_, std::move(spec_of));
        SHELFD_CO_TRY(co_await canary_->load());
        identity_->set_stand_in(*canary_);
    }
    tables_ = std::make_unique<LibraryTables>(*context_, [this] { services_.changed(); });
    SHELFD_CO_TRY(co_await tables_->load_lists(rhythms));
    context_->owner.pass_ended = [this] {
        record_while_open();
        let_mirror_rest();
    };
    context_->owner.failed = [this](const std::string& table, const std::exception_ptr& error) {
        tasks_.fail(table, error);
    };
    context_->owner.refill = [this](const std::string& filled) { mirror_replaced(filled); };
    co_return co_await tables_->load_details();
}

// Once the directory of the token journals is there.
asio::awaitable<void> LibraryUnit::note_place()
{
    auto write = [place = mirror_place(library_.name, services_)] { place.note(); };
    co_await lane_.run(write);
}

void LibraryUnit::mirror_replaced(const std::string& filled)
{
    context_->state.claimed_for.clear();
    token_set_->note_again();
    recorder_->forget();
    tables_->refill_all_but(filled);
    if (phase_ == Phase::running) {
        side_files_->watch();
        tasks_.spawn("the note of the mirror's place", note_place());
    }
}

void LibraryUnit::recheck_tables()
{
    if (tables_) {
        tables_->recheck_due();
    }
}

void LibraryUnit::token_set_changed()
{
    identity_->forget();
    context_->state.logged_of_token_set.clear();
    tables_->wake_blocked();
}

SnapshotKeeper& LibraryUnit::snapshots()
{
    if (!snapshots_) {
        snapshots_ = std::make_unique<SnapshotKeeper>(
            *context_, services_.workers.mirrors.lane(), *services_.copying, [this] { services_.changed(); },
            [this] { return tables_->have_rows(); });
        if (is_stopped()) {
            snapshots_->close(stopped_error());
        }
    }
    return *snapshots_;
}

void LibraryUnit::start()
{
    begin();
    side_files_->watch();
    if (!library_.paused) {
        begin_schedules();
    }
}

void LibraryUnit::begin_schedules()
{
    tables_->start(tasks_);
    if (library_.snapshot_every) {
        tasks_.spawn("snapshots", snapshots().run());
    }
}

void LibraryUnit::begin()
{
    phase_ = Phase::running;
    token_set_->begin();
    tasks_.keep("the token set", keeper_->run());
    let_mirror_rest();
}

asio::awaitable<void> LibraryUnit::run_once()
{
    begin();
    tasks_.spawn("a run of every schedule", pass_once());
    while (!is_passed_once_ && !is_stopped()) {
        co_await stopping_.wait();
    }
}

// A task of its own, so that a bug ends it wherever it waits.
asio::awaitable<void> LibraryUnit::pass_once()
{
    co_await keeper_->wait_idle();
    if (!library_.paused) {
        co_await tables_->run_once();
        if (library_.snapshot_every) {
            co_await snapshots().make_if_due();
        }
    }
    co_await record(std::nullopt);
    is_passed_once_ = true;
    stopping_.notify_all();
}

Bug LibraryUnit::record_bug(std::string what)
{
    const auto bug = services_.bugs[library_.name].add(std::move(what), now(), services_.clock.boot_now());
    services_.log.error(bug_text(library_.name, bug), {{"library", library_.name}});
    if (snapshots_) {
        snapshots_->close({ErrorKind::stopped, "stopped by a bug: " + bug.what});
    }
    stopping_.notify_all();
    services_.changed();
    return bug;
}

void LibraryUnit::cancel()
{
    if (phase_ < Phase::ending) {
        phase_ = phase_ == Phase::running ? Phase::ending : Phase::closed;
    }
    token_set_->close();
    side_files_->close();
    if (snapshots_) {
        snapshots_->close(stopped_error());
    }
    stopping_.notify_all();
    tasks_.cancel();
}

asio::awaitable<void> LibraryUnit::stop(std::function<void()> before_close)
{
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    cancel();
    services_.changed();
    if (phase_ == Phase::ending) {
        // Only run() completes an exchange that the journal left open; if it never ran, there is nothing to wait for.
        co_await keeper_->wait_exchange_done();
    }
    co_await tasks_.join();
    side_files_->forget();
    while (users_ > 0) {
        co_await unused_.wait();
    }
    if (phase_ == Phase::ending) {
        co_await keeper_->repair_journals_at_exit();
    }
    if (before_close) {
        before_close();
    }
    auto close = [this] { mirror_.reset(); };
    co_await lane_.run(close);
    token_set_.reset();
    keeper_.reset();
}

asio::awaitable<void> LibraryUnit::stopping() const
{
    while (!is_stopped()) {
        co_await stopping_.wait();
    }
}

}  // namespace shelfd::app

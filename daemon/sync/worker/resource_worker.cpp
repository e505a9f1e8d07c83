#include "sync/worker/resource_worker.hpp"

#include "sync/pass/resumable_walk.hpp"
#include "sync/rounds/round.hpp"
#include "sync/trouble/blocked.hpp"
#include "sync/trouble/scope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace shelfd::sync {
namespace {

// A round of at most this many requests is short; a longer one is not urgent, although a person waits.
constexpr std::uint32_t max_urgent = 32;
// Nothing is known to need it: what changes the due time wakes the task.
constexpr auto max_wait = std::chrono::hours(1);
// A service that is being restarted denies its lists for a moment.
constexpr auto before_another_look = std::chrono::seconds(1);
// What a poll without rows leaves in the WAL can wait until there is more, or until the mirror is closed.
bool is_worth_a_checkpoint(const PassReport& pass)
{
    return pass.kind == PassKind::full || !pass.published;
}

}  // namespace

ResourceWorker::ResourceWorker(LibraryContext& context, const config::Resource& resource, Rhythm rhythm,
                               std::function<void()> changed)
    : context_(context), resource_(resource), board_(report_.progress, std::move(changed)),
      planner_({context.clock, context.random, [this] { return chooser_.backfill_at(); }}, std::move(rhythm),
               resource.parent ? DuePlanner::Lists::by_parent : DuePlanner::Lists::one),
      chooser_(context, resource, planner_.rhythm()),
      polls_(context.limiter, resource, context.library.service.page_size),
      wishes_(planner_.rhythm().windows() == nullptr ? WishQueue::Join::one_for_all : WishQueue::Join::equal_ones),
      log_(context.log, context.library.name, resource.name, context.state.logged_of_token_set)
{
}

asio::awaitable<Result<void>> ResourceWorker::load()
{
    SHELFD_CO_TRY(co_await read_summary());
    co_return co_await chooser_.load();
}

asio::awaitable<Result<void>> ResourceWorker::read_summary()
{
    auto read = [this] { return context_.mirror.summary(resource_.name, mirror::NewestRun::included); };
    SHELFD_CO_TRY_ASSIGN(summary, co_await context_.lane.run(read));
    report_.published_since = context_.clock.now();
    if (summary) {
        report_.published_before =
            summary->newest_run ? summary->newest_run->published_lately : std::vector<mirror::RunCounts>();
        report_.summary = *summary;
    }
    board_.changed();
    co_return Result<void>();
}

asio::awaitable<void> ResourceWorker::run()
{
    // On the stack: the frame of this coroutine keeps its variables as long as the table lives (measured: 1.3 KiB).
    const auto plan_first = [this] {
        const auto& summary = report_.summary;
        // The last pass may have been one over an old window, or over the list of a single parent.
        const auto walked = summary.last_started && !chooser_.is_sliced() ? summary.last_started : summary.as_of;
        planner_.begin(chooser_.is_untouched() ? std::nullopt : walked, summary.proven_as_of);
        if (auto lasting = trouble_before_restart(summary)) {
            static_cast<TableTrouble&>(report_) = std::move(*lasting);
            planner_.try_again_at(summary.next_due.value_or(context_.clock.now()));
        }
        planner_.plan_by_schedule();
        const auto plan = chooser_.whole_plan();
        const auto set = context_.keeper.status();
        const ResumableWalk::Subject whole{context_.library, resource_, plan, set};
        const auto cut = chooser_.is_sliced()
                             ? std::nullopt
                             : ResumableWalk::left_by_another(whole, context_.mirror.path(), context_.clock.now());
        if (cut && (!summary.as_of || *summary.as_of < *cut)) {
            planner_.resume_cut_walk();
        }
        // A lacking scope costs no request, and a reload may have added `needs`. Of a refused or lost set, only an
        // answer shows whether its access token still works: one table asks for all.
        const bool is_in_question = set.state == TokenState::foreign || set.state == TokenState::lost;
        const bool asks = is_in_question && set.access_usable && &resource_ == &context_.library.resources.front();
        if (lacks_scope(set.scope, resource_.needs) || asks) {
            planner_.plan_now();
        }
        if (is_blocked(summary.state)) {
            // A person restarts or reloads after a repair.
            set_arrived_ = set.access_usable;
            planner_.plan_now();
        }
        report_.next_due = planner_.due();
        board_.changed();
    };
    plan_first();
    for (;;) {
        co_await wait_until_due();
        co_await take_set();
        co_await await_parent();
        co_await line_up_and_pass();
    }
}

asio::awaitable<void> ResourceWorker::run_once()
{
    planner_.begin(std::nullopt, report_.summary.proven_as_of);
    co_await line_up_and_pass();
    while (planner_.repeats_walk() || (report_.trouble == Trouble::none && planner_.is_backfill_due())) {
        if (!planner_.repeats_walk()) {
            // A round that took longer than its interval is due again at once; it had its turn, so only backfill
            // follows.
            wishes_.add({Wanted::backfill});
        }
        co_await line_up_and_pass();
    }
}

asio::awaitable<void> ResourceWorker::wait_until_due()
{
    for (;;) {
        if (!is_pass_wanted()) {
            co_await show_scope();
        }
        // From here on nothing is waited for: what happens during a wait for the mirror wakes nobody.
        polls_.reserve(planner_.due_on_boot_clock(), report_, planner_.rhythm().pace());
        const bool is_well = report_.trouble == Trouble::none;
        if (planner_.notice_clock_set_back(is_well ? DuePlanner::Waits::for_schedule
                                                   : DuePlanner::Waits::for_next_try)) {
            report_.next_due = planner_.due();
            board_.changed();
        }
        if (is_pass_wanted()) {
            co_return;
        }
        const auto left = planner_.left();
        const auto lives = time_to_live(context_.keeper.status(), context_.clock.now());
        const auto wait = std::min<Duration>(std::min<Duration>(left, max_wait), lives);
        const auto look_again = context_.clock.boot_now() + wait;
        co_await context_.clock.wait_until(look_again, wake_);
    }
}

asio::awaitable<void> ResourceWorker::pass(WalkTurns::Turn& turn, WalkGate::Place& place)
{
    stage_ = Stage::choosing;
    const auto wish = wishes_.take();
    if (wish || !planner_.repeats_walk()) {
        asked_by_ = wish ? wish->asked_by : std::vector<std::string>();
    }
    co_await take_set();
    auto round = co_await choose(wish);
    round.line.turn = &turn;
    round.line.place = &place;
    const bool ordinary = round.ordinary;
    const bool walks_newest = ordinary || round.keep_fresh > 0;
    stage_ = ordinary ? Stage::fresh : Stage::backfill;
    planner_.pass_begins();
    if (polls_.is_poll(round, report_)) {
        // The next poll may be due before requests of others have left the limit's minute.
        round.line.purpose = budget::Purpose::incremental;
        const auto pace = planner_.rhythm().pace();
        polls_.reserve(context_.clock.boot_now() + pace, report_, pace);
    }
    ended_.notify_all();  // tables that wait for a due pass need not wait for this one
    // A configured `late_after` overrides the schedule's.
    const auto late_at = resource_.late_after ? std::nullopt : planner_.rhythm().late_at(context_.clock.now());
    const auto make_round = [this, late_at](Round one) {
        return run_round(context_, resource_, std::move(one), board_, late_at);
    };
    auto ended = co_await make_round(round);
    if (UnreadPasses::is_worth_another_look(ended, report_.summary, wish.has_value())) {
        co_await context_.clock.sleep_for(before_another_look);
        round.add_spent(ended.spent);
        ended = co_await make_round(std::move(round));
    }
    record_slow_round(ended);
    unread_.judge(ended, report_.summary, wish.has_value());
    co_await chooser_.learn(ended);
    ended.known.reset();
    judge(ended, ordinary, walks_newest);
    report_.requests += ended.requests();
    if (ended.published) {
        report_.published.add(*ended.published);
    }
    ended.learned = {};  // the chooser and the planner have it
    report_.last_pass = std::move(ended);
    if (!asked_by_.empty()) {
        asker_ = {report_.last_pass->run_id, fmt::format("{}", fmt::join(asked_by_, ", "))};
    }
    co_await store_state();
    stage_ = Stage::idle;
    if (parent_changed_ || planner_.must_refill() || (set_arrived_ && report_.trouble == Trouble::needs_person)) {
        plan_now();
    }
    ++report_.passes_ended;
    notify_followers(*report_.last_pass);
    ended_.notify_all();
    context_.owner.pass_ended();
    board_.changed();
    co_await empty_wal();
}

// Chooses the requests of the pass and their priority.
asio::awaitable<Round> ResourceWorker::choose(const std::optional<Wish>& wish)
{
    parent_changed_ = false;
    const auto wanted = planner_.take_wanted(wish);
    budget::Tally tried;
    co_await context_.identity.prepare(tried);
    auto round = co_await chooser_.choose(wanted);
    round.add_spent(tried);
    const bool waits_for_parent = round.by_parent && round.by_parent->obstacle;
    if (std::exchange(waits_for_parent_, waits_for_parent) && round.by_parent && !waits_for_parent &&
        report_.summary.state == TableState::filling) {
        co_await forget_trouble();  // what the table waited for has arrived
    }
    // Rounds of unknown length, such as first loads, are urgent only for this number of requests.
    const auto expected = round.expected_requests(report_.summary.rows, context_.library.service.page_size);
    round.line.urgent = wish && expected <= max_urgent ? max_urgent : 0;
    co_return round;
}

// What the pass means for the state of the table and for the next pass.
void ResourceWorker::judge(PassReport& ended, bool ordinary, bool walks_newest)
{
    before_obstacle_.reset();
    // The same trouble from before a restart has lasted since then.
    const bool went_on = !report_.last_pass && shows(report_.summary.state, ended.trouble);
    auto trouble = trouble_after(ended, report_, went_on ? report_.summary.since : std::nullopt);
    if (planner_.rhythm().windows() != nullptr) {
        const bool newest = ordinary || (walks_newest && ended.trouble == Trouble::none);
        const auto walked = newest ? NewestWindowTrouble::Walked::newest : NewestWindowTrouble::Walked::older;
        trouble = newest_.after(ended, walked, std::move(trouble));
    }
    static_cast<TableTrouble&>(report_) = std::move(trouble);
    report_.passes_failed += ended.trouble == Trouble::none ? 0U : 1U;
    planner_.pass_ended(ended, ordinary ? DuePlanner::Pass::ordinary : DuePlanner::Pass::between,
                        asked_by_.empty() ? DuePlanner::WantedBy::schedule : DuePlanner::WantedBy::person);
    report_.next_due = planner_.due();
    const bool usable = context_.keeper.status().access_usable;
    log_.ended(ended, usable ? OutcomeLog::TokenSet::usable : OutcomeLog::TokenSet::unusable, planner_.due());
}

// In the lane.
ResourceWorker::MirrorReply ResourceWorker::write_state(const mirror::ResourceState& state)
{
    MirrorReply reply;
    auto stored = context_.mirror.store_state(resource_.name, state, asker_);
    if (stored) {
        reply.stored = std::move(*stored);
    } else {
        reply.done = stored.error();
    }
    reply.notice = context_.mirror.take_notice();
    reply.rebuilt = context_.mirror.take_rebuilt();
    reply.repairs = context_.mirror.repairs();
    reply.closed_to_readers = context_.mirror.closed_to_readers();
    reply.wal.bytes = context_.mirror.wal_bytes();
    if (!reply.done) {
        reply.stored.feed_waits = true;
        if (auto summary = context_.mirror.summary(resource_.name)) {
            reply.stored.summary = std::move(*summary);
        }
    }
    return reply;
}

asio::awaitable<void> ResourceWorker::store_state(LastError error)
{
    mirror::ResourceState state;
    state.forgets_error = error == LastError::forgotten;
    state.blocked = blocked_of(report_.trouble);
    const auto remark = report_.last_pass ? report_.last_pass->remark : "";
    state.why = !report_.why.empty() ? report_.why : !remark.empty() ? remark : chooser_.warning();
    state.cause = report_.why.empty() ? TroubleSource::service : report_.source;
    // That of a disk is found again with the first write.
    state.since = report_.trouble == Trouble::storage ? std::nullopt : report_.trouble_since;
    state.next_due = planner_.due();
    auto work = [this, &state] { return write_state(state); };
    auto reply = co_await context_.lane.run(work);
    if (reply.done) {
        asker_.reset();
    } else {
        mirror_failed(reply.done.error());
    }
    record_wal(context_, reply.wal);
    context_.state.repairs = std::move(reply.repairs);
    context_.state.closed_to_readers = std::move(reply.closed_to_readers);
    if (reply.notice) {
        context_.log.warning(*reply.notice, {{"library", context_.library.name}});
    }
    feed_waits_ = reply.stored.feed_waits;
    if (reply.stored.summary) {
        auto newest = std::move(report_.summary.newest_run);  // of an earlier process, until a pass ends here
        report_.summary = std::move(*reply.stored.summary);
        report_.summary.newest_run = report_.last_pass ? nullptr : std::move(newest);
    }
    co_await read_again(reply.rebuilt);
}

// Copies the WAL into the file. After a large pass that takes a while, and no reader and no caller has to wait for it.
asio::awaitable<void> ResourceWorker::empty_wal()
{
    const bool is_whole = !report_.last_pass || is_worth_a_checkpoint(*report_.last_pass);
    if (!is_whole && !feed_waits_) {
        co_return;
    }
    WalLook wal;
    auto work = [this, is_whole, &wal]() -> Result<void> {
        if (is_whole) {
            SHELFD_TRY_ASSIGN(emptied, context_.mirror.checkpoint(storage::CheckpointMode::passive));
            wal.emptied = emptied;
        } else {
            SHELFD_TRY(context_.mirror.checkpoint_feed());
        }
        wal.bytes = context_.mirror.wal_bytes();
        return {};
    };
    const auto done = co_await context_.lane.run(work);
    record_wal(context_, wal);
    if (!done) {
        mirror_failed(done.error());
        board_.changed();
    }
}

// Without a publication, the pass has not read what the chooser needs. A pass under way changes nothing of that.
asio::awaitable<void> ResourceWorker::read_again(bool rebuilt)
{
    Result<void> loaded;
    const bool reads_all = rebuilt || (!before_obstacle_ && !(report_.last_pass && report_.last_pass->published));
    if (reads_all) {  // g++ 12 destroys the result of a co_await inside of ?: twice
        loaded = co_await load();
    }
    if (rebuilt) {
        // If the pass found the file damaged or missing and has filled its table in the new one, all others are empty.
        context_.owner.refill(loaded && report_.summary.as_of ? name() : "");
    }
    if (!loaded) {
        // What is known remains; the next pass meets the same error and reports it.
        context_.log.debug("cannot read the mirror's summary: " + loaded.error().text(),
                           {{"library", context_.library.name}, {"resource", resource_.name}});
    }
}

}  // namespace shelfd::sync

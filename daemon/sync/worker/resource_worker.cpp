#include "sync/worker/resource_worker.hpp"

#include "sync/pass/resumable_walk.hpp"
#include "sync/rounds/round.hpp"
#include "sync/trouble/blocked.hpp"
#include "sync/trouble/scope.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace shelfd::sync {
namespace {

// A round of so many requests is soon done; more of them let what else is due go first, though somebody waits.
constexpr std::uint32_t max_urgent = 32;
// A step of the wall clock is noticed within this time.
constexpr auto max_wait = std::chrono::minutes(5);
constexpr Duration quick_retry = std::chrono::minutes(1);
constexpr Duration slow_retry = std::chrono::minutes(15);
// An owner who grants a permission, or a path that appears, is noticed within this time, however rare the schedule.
constexpr auto slowest_retry = std::chrono::hours(1);
// Passes over a list that was never read, each of which asks several times.
constexpr std::uint32_t max_without_json = 3;

// What a poll that found nothing has left in the WAL can wait until there is more, or until the mirror is put to rest.
bool is_worth_a_checkpoint(const PassReport& pass)
{
    return pass.kind == PassKind::full || !pass.published;
}

}  // namespace

ResourceWorker::ResourceWorker(LibraryContext& context, const config::Resource& resource, Rhythm rhythm,
                               std::function<void()> changed)
    : context_(context), resource_(resource), rhythm_(std::move(rhythm)), chooser_(context, resource, rhythm_),
      backoff_(std::min<Duration>(std::chrono::seconds(30), rhythm_.pace()),
               std::clamp<Duration>(rhythm_.pace(), quick_retry, slow_retry)),
      changed_(std::move(changed))
{
}

asio::awaitable<Result<void>> ResourceWorker::load()
{
    auto read = [this] { return context_.mirror.summary(resource_.name); };
    SHELFD_CO_TRY_ASSIGN(summary, co_await context_.lane.run(read));
    if (summary) {
        report_.summary = *summary;
    }
    changed_();
    co_return co_await chooser_.load();
}

asio::awaitable<void> ResourceWorker::run()
{
    const auto& summary = report_.summary;
    // The last pass may have been one over an old window, or over the list of a single parent.
    const auto walked = summary.last_started && !chooser_.is_sliced() ? summary.last_started : summary.as_of;
    const auto last = chooser_.is_untouched() ? std::nullopt : walked;
    rhythm_.begin(context_.clock.now(), last, summary.proven_as_of, context_.random());
    plan_at(next_turn());
    const auto cut = chooser_.is_sliced() ? std::nullopt
                                          : ResumableWalk::left_by_another(context_, resource_, chooser_.whole_plan());
    has_cut_walk_ = cut && (!summary.as_of || *summary.as_of < *cut);
    if (has_cut_walk_) {
        plan_at(context_.clock.now());
    }
    if (lacks_scope(context_.keeper.status().scope, resource_.needs)) {
        plan_at(context_.clock.now());  // it costs no request to say so, and a reload may have added the need
    }
    if (is_blocked()) {
        // A restart or a reload is what a person does after a repair.
        set_arrived_ = context_.keeper.status().access_usable;
        plan_at(context_.clock.now());
    }
    changed_();
    for (;;) {
        co_await wait_until_due();
        co_await take_set();
        co_await await_parent();
        co_await pass();
    }
}

asio::awaitable<void> ResourceWorker::run_once()
{
    const auto& summary = report_.summary;
    rhythm_.begin(context_.clock.now(), std::nullopt, summary.proven_as_of, context_.random());
    co_await pass();
    while (walk_again_ || is_backfill_due()) {
        if (!walk_again_) {
            // A round that took longer than its interval is due again: it had its turn.
            wishes_.push_back({Wanted::backfill});
        }
        co_await pass();
    }
}

bool ResourceWorker::is_backfill_due() const
{
    const auto at = chooser_.backfill_at();
    return report_.trouble == Trouble::none && at && *at <= context_.clock.now();
}

asio::awaitable<void> ResourceWorker::wait_until_due()
{
    for (;;) {
        announce_poll(due_boot_);
        notice_clock_set_back();
        const auto left = due_ - context_.clock.now();
        if (left <= Duration(0) || !wishes_.empty()) {
            co_return;
        }
        const auto look_again = context_.clock.boot_now() + std::min<Duration>(left, max_wait);
        co_await context_.clock.wait_until(look_again, wake_);
    }
}

bool ResourceWorker::is_blocked() const
{
    const auto& state = report_.summary.state;
    return state == TableState::needs_person || state == TableState::forbidden || state == TableState::wrong_library;
}

// The person that was needed has acted: nobody is told to do it again while we find out whether that was all.
asio::awaitable<void> ResourceWorker::forget_trouble()
{
    report_.trouble = Trouble::none;
    report_.why.clear();
    report_.trouble_since.reset();
    return publish_trouble();
}

// Before the pass that it is for, which may have to wait for others.
asio::awaitable<void> ResourceWorker::take_set()
{
    if (std::exchange(set_arrived_, false) && report_.summary.state == TableState::needs_person) {
        co_await forget_trouble();
    }
}

asio::awaitable<void> ResourceWorker::pass()
{
    auto look = [this] { return claim(); };
    report_.queued = true;
    announced_.reset();  // slots that are kept for what waits here would be used by nobody
    auto turn = co_await context_.turns.take(look);
    report_.queued = false;
    busy_ = true;
    const auto wish = take_wish();
    co_await take_set();
    parent_changed_ = false;
    const auto wanted = what_is_wanted(wish);
    must_refill_ = has_cut_walk_ = false;
    budget::Tally tried;
    co_await context_.identity.prepare(tried);
    auto round = co_await chooser_.choose(wanted);
    round.add_spent(tried);
    const bool waits_for_parent = round.by_parent && round.by_parent->obstacle;
    if (std::exchange(waits_for_parent_, waits_for_parent) && round.by_parent && !waits_for_parent &&
        report_.summary.state == TableState::filling) {
        co_await forget_trouble();  // what it waited for is there
    }
    // What nobody can foresee, a first load say, is urgent no longer than that either.
    round.line.urgent = wish && expected_requests(round) <= max_urgent ? max_urgent : 0;
    round.line.turn = &turn;
    const bool ordinary = round.ordinary;
    const bool walks_newest = ordinary || round.keep_fresh > 0;
    is_rest_ = !ordinary;
    const auto began = context_.clock.now();
    const auto began_boot = context_.clock.boot_now();
    if (is_poll(round)) {
        // The next one may be due before what others send meanwhile has left the minute.
        round.line.purpose = budget::Purpose::incremental;
        announce_poll(began_boot + rhythm_.pace());
    }
    ended_.notify_all();  // who waits for what is due need not wait for this
    // An age that somebody chose goes before what the schedule would say.
    const auto late_at = resource_.late_after ? std::nullopt : rhythm_.late_at(context_.clock.now());
    auto ended = co_await run_round(context_, resource_, std::move(round), report_.progress, changed_, late_at);
    record_slow_round(ended);
    record_no_json(ended);
    co_await chooser_.learn(ended);
    ended.known.reset();
    plan_next(ended, ordinary, walks_newest, set_back_since(began, began_boot));
    log_outcome(ended);
    report_.requests += ended.requests();
    report_.last_pass = std::move(ended);
    co_await publish_trouble();
    busy_ = false;
    if (parent_changed_ || must_refill_ || (set_arrived_ && report_.trouble == Trouble::needs_person)) {
        plan_at(context_.clock.now());
    }
    ++report_.passes_ended;
    notify_followers(*report_.last_pass);
    ended_.notify_all();
    context_.owner.pass_ended();
    changed_();
}

Instant ResourceWorker::next_try(const PassReport& pass)
{
    const bool slowly = pass.trouble != Trouble::passing && pass.trouble != Trouble::storage;
    const auto wait =
        slowly ? std::clamp<Duration>(rhythm_.pace(), slow_retry, slowest_retry) : backoff_.next(context_.random());
    return context_.clock.now() + std::max(wait, pass.closed_for);
}

// A front end that answers every path with its own page does so for ever; maintenance ends.
void ResourceWorker::record_no_json(PassReport& pass)
{
    no_json_ = pass.no_json && !report_.summary.as_of ? no_json_ + 1 : 0;
    if (no_json_ >= max_without_json) {
        pass.trouble = Trouble::needs_person;
        pass.why += "; is it the right address? check `path` and `base_url`";
    }
}

// Once for each trouble, not for each try; what is wrong with the token set, once for all resources of the library.
void ResourceWorker::log_trouble(const PassReport& pass)
{
    const bool by_token_set = pass.trouble == Trouble::needs_person && !context_.keeper.status().access_usable;
    auto& logged = by_token_set ? context_.state.logged_of_token_set : logged_;
    if (std::exchange(logged, pass.why) == pass.why) {
        return;
    }
    const auto what = by_token_set ? context_.library.name : resource_.name + " of " + context_.library.name;
    const auto text = fmt::format("{} not synced: {}; tried again at {}", what, pass.why, due_.to_short_text());
    context_.log.warning(text, {{"library", context_.library.name},
                                {"resource", resource_.name},
                                {"run_id", pass.run_id},
                                {"state", to_string(pass.trouble)}});
}

void ResourceWorker::log_outcome(const PassReport& pass)
{
    if (!pass.published) {
        return log_trouble(pass);
    }
    logged_.clear();
    context_.state.logged_of_token_set.clear();
    if (pass.pages == 0 && pass.published->deleted == 0) {
        return;  // no parent has a list that wants a walk
    }
    const auto seconds = static_cast<double>((pass.ended - pass.started).count()) / 1e6;
    const auto& done = *pass.published;
    const auto text =
        fmt::format("{} of {} synced ({}): {} rows, {} added, {} changed, {} deleted, {} pages in {:.1f} s{}",
                    resource_.name, context_.library.name, to_string(pass.kind), done.rows, done.added, done.changed,
                    done.deleted, pass.pages, seconds, pass.proof.complete() ? "" : " (not proven complete)");
    context_.log.info(text, {{"library", context_.library.name},
                             {"resource", resource_.name},
                             {"run_id", pass.run_id},
                             {"proof", to_string(pass.proof.kind)}});
}

// In the lane.
ResourceWorker::Told ResourceWorker::tell(const mirror::ResourceState& state, bool empties_wal)
{
    Told told;
    told.done = context_.mirror.set_state(resource_.name, state);
    told.notice = context_.mirror.take_notice();
    told.rebuilt = context_.mirror.take_rebuilt();
    told.repairs = context_.mirror.repairs();
    if (told.done && empties_wal) {
        const auto emptied = context_.mirror.checkpoint(storage::CheckpointMode::passive);
        told.done = emptied ? Result<void>() : emptied.error();
        told.wal.emptied = emptied && *emptied;
    } else if (told.done) {
        told.done = context_.mirror.checkpoint_feed();
    }
    told.wal.bytes = context_.mirror.wal_bytes();
    if (auto summary = context_.mirror.summary(resource_.name)) {
        told.summary = std::move(*summary);
    }
    return told;
}

asio::awaitable<void> ResourceWorker::publish_trouble()
{
    mirror::ResourceState state;
    state.blocked = blocked_of(report_.trouble);
    const auto remark = report_.last_pass ? report_.last_pass->remark : "";
    state.why = !report_.why.empty() ? report_.why : !remark.empty() ? remark : chooser_.warning();
    state.since = report_.trouble_since;
    state.next_due = due_;
    const bool empties_wal = !report_.last_pass || is_worth_a_checkpoint(*report_.last_pass);
    auto work = [this, &state, empties_wal] { return tell(state, empties_wal); };
    auto told = co_await context_.lane.run(work);
    if (!told.done) {
        report_.trouble_since = report_.trouble_since.value_or(context_.clock.now());
        report_.trouble = Trouble::storage;
        report_.why = "the mirror cannot be told: " + told.done.error().text();
    }
    record_wal(context_, told.wal);
    context_.state.repairs = std::move(told.repairs);
    if (told.notice) {
        context_.log.warning(*told.notice, {{"library", context_.library.name}});
    }
    if (told.summary) {
        report_.summary = *told.summary;
    }
    // Where nothing was published nobody has read yet what the chooser goes by.
    const bool reads_all = told.rebuilt || !report_.last_pass || !report_.last_pass->published;
    Result<void> loaded;
    if (reads_all) {  // g++ 12 destroys the result of a co_await inside of ?: twice
        loaded = co_await load();
    }
    if (told.rebuilt) {
        // Where the pass that found the file broken or gone has filled its table in the new one, all others are empty.
        context_.owner.refill(loaded && report_.summary.as_of ? name() : "");
    }
    if (!loaded) {
        // What is known from before stays; the next pass meets the same disk, and reports it.
        context_.log.debug("cannot read the mirror's summary: " + loaded.error().text(),
                           {{"library", context_.library.name}, {"resource", resource_.name}});
    }
}

void ResourceWorker::refill()
{
    must_refill_ = true;
    if (!busy_) {
        plan_at(context_.clock.now());
        wake_.notify_all();
    }
}

void ResourceWorker::wake_if_blocked()
{
    set_arrived_ = true;
    if (!busy_ && (report_.trouble != Trouble::none || is_blocked())) {
        plan_at(context_.clock.now());
        wake_.notify_all();
    }
}

}  // namespace shelfd::sync

// What a pass waits for before it begins, with little memory: its time, its turn in the library, room in the request
// limit, and a place among the walks of all libraries; and troubles that show without a pass.
#include "sync/trouble/blocked.hpp"
#include "sync/trouble/error_source.hpp"
#include "sync/trouble/scope.hpp"
#include "sync/worker/resource_worker.hpp"

#include <algorithm>
#include <utility>

namespace shelfd::sync {
namespace {

// For a list that was never read: a few pages, page 1 again, the canary.
constexpr std::uint64_t first_guess = 8;
constexpr std::uint64_t max_expected = 16;
// Longer than any present request counts. Afterwards the walk takes each slot as it comes.
constexpr Duration max_wait_for_room = std::chrono::seconds(75);
// Requests in flight may end.
constexpr Duration look_again = std::chrono::seconds(1);

// Requests besides the known pages.
constexpr std::uint64_t beside_pages = 2;

std::uint64_t expected_of(const WalkTurns::Claim& claim)
{
    return claim.pages == 0 ? first_guess : std::min(claim.pages + beside_pages, max_expected);
}

// Whether people read that a scope is missing.
bool is_scope_shown(const ResourceReport& report)
{
    const auto source = report.why.empty() ? report.summary.cause : report.source;
    return source == TroubleSource::scope && (report.trouble != Trouble::none || is_blocked(report.summary.state));
}

// Whether people may read that somebody has to act about the set: in the report, or only in the mirror still.
bool may_ask_for_set(const ResourceReport& report)
{
    const auto state = report.summary.state;
    return state == TableState::needs_person || (report.trouble == Trouble::none && !is_blocked(state));
}

}  // namespace

// However late the next pass, which would find out: a set that is dead, and a missing scope, show at once, and are no
// longer shown once the set works, or the scope is granted. Neither costs a request.
asio::awaitable<void> ResourceWorker::show_scope()
{
    const auto set = context_.keeper.status();
    if (dead_set_.update(report_, context_.library.name, set)) {
        co_await publish_trouble();
        board_.changed();
    }
    const auto& granted = set.scope;
    const auto shown = is_scope_shown(report_);  // perhaps by a worker before a reload that removed `needs`
    const auto is_missing = lacks_scope(granted, resource_.needs);
    const bool may_pass = report_.trouble == Trouble::none || report_.trouble == Trouble::passing;
    const bool has_other_trouble = !may_pass || is_blocked(report_.summary.state);
    if (is_missing && !shown && !has_other_trouble) {
        report_.trouble = Trouble::forbidden;
        report_.source = TroubleSource::scope;
        report_.why = describe_missing_scope(granted, resource_.needs);
        report_.trouble_since = context_.clock.now();
        context_.log.warning(report_.why, {{"library", context_.library.name}, {"resource", resource_.name}});
        co_await publish_trouble();
        board_.changed();
    } else if (!is_missing && shown) {
        co_await forget_trouble();
        board_.changed();
    }
}

// What keeps the pass under way from advancing: as if the pass had ended with it, but the pass goes on. A graver
// trouble stays, and returns after this one. Without `met` the obstacle is over.
asio::awaitable<void> ResourceWorker::show_obstacle(std::optional<Obstacle> met)
{
    const bool is_shown = before_obstacle_.has_value();
    const bool may_show = report_.trouble == Trouble::none || report_.trouble == Trouble::passing;
    const bool is_graver = !may_show || is_blocked(report_.summary.state);
    if (met ? is_graver || (is_shown && report_.why == met->why) : !is_shown) {
        co_return;
    }
    TableTrouble& shown = report_;
    if (met && !is_shown) {
        before_obstacle_ = shown;
    }
    if (met) {
        const auto since = shown.trouble == Trouble::passing ? shown.trouble_since : report_.progress.started;
        shown = {Trouble::passing, ErrorKind::storage, std::move(met->why), since, met->source};
    } else {
        shown = *before_obstacle_;
    }
    co_await store_state();
    if (!met) {
        before_obstacle_.reset();
    }
    board_.changed();
}

asio::awaitable<void> ResourceWorker::publish_trouble()
{
    co_await store_state();
    co_await empty_wal();
}

void ResourceWorker::mirror_failed(const Error& error)
{
    report_.trouble_since = report_.trouble_since.value_or(context_.clock.now());
    report_.trouble = Trouble::storage;
    report_.cause = error.kind();
    report_.source = source_of(error);
    auto why = "cannot update the mirror: " + error.text();
    if (report_.why != why) {
        context_.log.warning(why, {{"library", context_.library.name}, {"resource", resource_.name}});
    }
    report_.why = std::move(why);
}

asio::awaitable<void> ResourceWorker::forget_trouble()
{
    forget_request(report_, report_.summary);
    co_await store_state(LastError::forgotten);
    co_await empty_wal();
}

// Before the pass, which may have to wait for others.
asio::awaitable<void> ResourceWorker::take_set()
{
    const bool new_set_may_help = std::exchange(set_arrived_, false) && may_ask_for_set(report_);
    const bool scope_is_granted =
        is_scope_shown(report_) && !lacks_scope(context_.keeper.status().scope, resource_.needs);
    if (new_set_may_help || scope_is_granted) {
        co_await forget_trouble();
    }
}

// The frame of a pass is large, and thousands of tables may wait here.
asio::awaitable<void> ResourceWorker::line_up_and_pass()
{
    auto look = [this] { return claim(); };
    report_.queued = true;
    polls_.release();  // nobody could use slots kept for a table that waits here
    auto turn = co_await context_.turns.take(look);
    auto place = co_await take_place();
    report_.queued = false;
    board_.show_obstacles_by([this](std::optional<Obstacle> met) { return show_obstacle(std::move(met)); });
    co_await pass(turn, place);
}

// A walk that waits for its limit holds what it has read for a minute. If many wait, a walk begins only when there is
// room for about all of it.
bool ResourceWorker::lacks_room() const
{
    const auto claimed = claim();
    if (claimed.is_wished || claimed.kind == WalkTurns::Kind::changes || !context_.gate->is_oversubscribed()) {
        return false;
    }
    return !context_.limiter.has_room(budget::Purpose::full, context_.seat.expected() + expected_of(claimed));
}

asio::awaitable<WalkGate::Place> ResourceWorker::take_place()
{
    auto look = [this] {
        const auto claimed = claim();
        return WalkGate::Claim{claimed.is_wished, claimed.is_first_load};
    };
    const WalkGate::LinedUp lined_up(*context_.gate);
    const auto latest = context_.clock.boot_now() + max_wait_for_room;
    for (;;) {
        auto now = context_.clock.boot_now();
        for (; lacks_room() && now < latest; now = context_.clock.boot_now()) {
            const auto at = context_.limiter.next_change().value_or(now + look_again);
            co_await context_.clock.wait_until(std::min(at, latest), wake_);
        }
        auto place = co_await context_.gate->enter(context_.seat, look);
        if (context_.clock.boot_now() >= latest || !lacks_room()) {
            place.expect(expected_of(claim()));
            co_return place;
        }
    }
}

}  // namespace shelfd::sync

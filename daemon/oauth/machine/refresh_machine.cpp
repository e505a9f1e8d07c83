#include "oauth/machine/refresh_machine.hpp"

#include "base/backoff.hpp"

#include <algorithm>
#include <cstdlib>

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

}  // namespace

void RefreshMachine::begin(const Start& start)
{
    *this = RefreshMachine();
    holding_ = start.holding;
    standing_ = start.standing;
    doubt_ = start.doubt;
    learned_ = start.learned;
    canary_tried_at_ = start.canary_tried_at;
    attempt_ = start.attempt;
    rate_ = start.rate;
    copied_ = start.copied;
    random_ = start.random;
    access_survived_ = start.access_survived;
    told_to_wait_ = start.told_to_wait;
    last_sent_ = start.last_sent;
    rate_.hurried = holding_.access ? rate_.hurried : std::max(rate_.hurried, 1u);
    not_before_ = doubt_.open ? BootTime() : start.told_to_wait;  // the oracle may show that waiting loses the set
    const auto held = standing_ == Standing::foreign || standing_ == Standing::lost || !holding_.refresh;
    const auto waits = doubt_.open ? Why::doubt : holding_.access ? Why::nothing : Why::no_access;
    why_ = copied_ ? Why::copied : held ? Why::person : waits;
}

void RefreshMachine::begin_landing(const Start& start, Earlier earlier)
{
    begin(start);
    pending_ = start.doubt;
    pending_.open = true;
    if (earlier == Earlier::none) {
        doubt_ = {};
    }
    state_ = State::landing;
}

void RefreshMachine::give_up()
{
    if (!is_exchanging()) {
        state_ = State::resting;
    }
}

void RefreshMachine::take(const Holding& holding)
{
    holding_ = holding;
    doubt_ = {};
    attempt_ = 0;
    not_before_ = now_;
    tries_ = 0;
    failed_commits_ = 0;
    told_to_wait_ = BootTime();
    access_dead_ = false;
    access_survived_ = false;
    once_more_.now = false;
    rate_.hurried = holding_.access ? rate_.hurried : std::max(rate_.hurried, 1u);
    standing_ = Standing::good;
}

RefreshMachine::Action RefreshMachine::resume(const Event& event)
{
    now_ = event.now;
    switch (state_) {
    case State::resting: return from_resting(event);
    case State::proving: return from_proving(event.canary);
    case State::fitting: return from_fitting(event.canary);
    case State::consulting: return from_consulting(event.canary);
    case State::comparing: return from_comparing(event);
    case State::preparing: return from_preparing(event);
    case State::intending: return from_intending(event.copies);
    case State::exchanging: return from_exchanging(event.kind);
    case State::landing: return from_landing(event);
    case State::committing: return from_committing(event);
    case State::judging: return from_judging();
    case State::measuring: return from_measuring(event.canary);
    }
    std::abort();
}

RefreshMachine::Action RefreshMachine::go(State next, ActionKind kind)
{
    state_ = next;
    return {kind, std::nullopt, Rejection::none};
}

RefreshMachine::Action RefreshMachine::from_resting(const Event& event)
{
    if (event.kind == EventKind::seal && can_refresh() && !doubt_.open) {
        cause_ = Cause::seal;
        return prepare();
    }
    const auto is_refused = why_ == Why::not_sent || why_ == Why::configuration || why_ == Why::throttled;
    const auto has_pause = doubt_.open && is_refused && now_ < not_before_;
    if (event.kind == EventKind::rejected && holding_.access && !has_pause) {
        cause_ = doubt_.open ? Cause::doubt : Cause::rejection;
        refusal_ = {event.says_expired, event.has_refuser};
        return go(State::proving, ActionKind::ask_canary);
    }
    const auto wake = wake_time();
    if (event.kind == EventKind::woke && wake && *wake <= now_) {
        cause_ = doubt_.open ? Cause::doubt : Cause::timer;
        return go(State::proving, ActionKind::ask_canary);
    }
    return rest_now();
}

RefreshMachine::Action RefreshMachine::from_comparing(const Event& event)
{
    if (event.newer) {
        take(*event.newer);
        return rest(Why::nothing);
    }
    if (purpose_ == Purpose::suspicion) {
        return event.evidence ? judge(Standing::foreign, Why::copied) : prepare();
    }
    if (holding_.has_kept) {
        return commit(ActionKind::restore_kept);
    }
    return judge(doubt_.open ? Standing::lost : Standing::foreign, Why::person);
}

RefreshMachine::Action RefreshMachine::prepare()
{
    if (!can_refresh()) {
        return rest(copied_ ? Why::copied : Why::person);
    }
    ++attempt_;
    return go(State::preparing, ActionKind::probe_disk);
}

RefreshMachine::Action RefreshMachine::from_preparing(const Event& event)
{
    // A single copy is accepted only if waiting is a risk, too.
    const auto urgent = doubt_.open || !access_is_usable(now_) || now_ >= urgent_from();
    if (event.kind == EventKind::no_secret) {
        return not_now(Why::secret);
    }
    if (event.kind == EventKind::no_turn) {
        return not_now(Why::turn);
    }
    if (event.copies == 0 || (event.copies == 1 && !urgent)) {
        return not_now(Why::storage);
    }
    pending_ = doubt_;
    pending_.replays += doubt_.open ? 1 : 0;
    pending_.since = doubt_.open ? doubt_.since : now_;
    pending_.old_token_was_alive = doubt_.open ? doubt_.old_token_was_alive : access_is_usable(now_);
    pending_.open = true;
    pending_.alive = pending_.throttled = false;
    pending_.last_sent = now_;
    return go(State::intending, ActionKind::write_intent);
}

RefreshMachine::Action RefreshMachine::from_intending(int copies)
{
    if (copies == 0) {
        return not_now(Why::storage);
    }
    last_sent_ = now_;
    once_more_.now = false;
    return go(State::exchanging, ActionKind::exchange);
}

RefreshMachine::Action RefreshMachine::from_exchanging(EventKind kind)
{
    if (kind == EventKind::not_sent) {
        return judge(standing_, Why::not_sent);
    }
    return go(State::landing, ActionKind::land);
}

RefreshMachine::Action RefreshMachine::from_landing(const Event& event)
{
    access_survived_ = access_survived_ || event.access_survived;
    record_wait(event.retry_after);
    switch (event.answer) {
    case AnswerClass::granted:
    case AnswerClass::salvaged: return handle_answer(event);
    case AnswerClass::denied: purpose_ = Purpose::denial; return go(State::comparing, ActionKind::reread);
    case AnswerClass::configuration: return judge(Standing::configuration, Why::configuration);
    case AnswerClass::throttled: return handle_throttling(event);
    case AnswerClass::server_error:
    case AnswerClass::unclear: break;
    }
    const auto is_unclear = event.answer == AnswerClass::unclear;
    const auto is_refusal = is_unclear && event.ambiguity == Ambiguity::refusal;
    const auto is_unread_set = is_unclear && event.ambiguity == Ambiguity::unread_set;
    const auto is_unreadable = is_unread_set || (is_unclear && event.ambiguity == Ambiguity::unreadable);
    tries_ = doubt_.open ? tries_ : 0;
    doubt_ = pending_;
    doubt_.server_errors = event.answer == AnswerClass::server_error ? pending_.server_errors + 1 : 0;
    doubt_.refusals = is_refusal ? pending_.refusals + 1 : 0;
    doubt_.unreadable = is_unreadable ? pending_.unreadable + 1 : 0;
    doubt_.has_unread_set = is_unread_set;
    return judge(Standing::in_doubt, Why::doubt);
}

// A limit is usually in front of the service: nothing was spent. If it is behind it, the service has acted.
RefreshMachine::Action RefreshMachine::handle_throttling(const Event& event)
{
    record_wait(event.retry_after > Duration(0) ? std::max<Duration>(event.retry_after, 10s) : 60s);
    if (doubt_.open) {
        doubt_.replays = pending_.replays;
        doubt_.last_sent = pending_.last_sent;
    } else if (event.ambiguity == Ambiguity::refusal) {
        tries_ = 0;
        doubt_ = pending_;
        doubt_.throttled = true;
    }
    return judge(doubt_.open ? Standing::in_doubt : standing_, Why::throttled);
}

RefreshMachine::Action RefreshMachine::handle_answer(const Event& event)
{
    count_refresh();
    learned_.rotates = event.rotated;
    if (doubt_.open && doubt_.committed) {
        learned_.grace = std::max(learned_.grace, pending_.last_sent - doubt_.since);
    }
    return commit(ActionKind::commit);
}

RefreshMachine::Action RefreshMachine::commit(ActionKind kind)
{
    commit_kind_ = kind;
    return go(State::committing, kind);
}

RefreshMachine::Action RefreshMachine::from_committing(const Event& event)
{
    if (event.kind == EventKind::unstorable) {
        access_survived_ = event.access_survived;
        return judge(Standing::lost, Why::person);
    }
    if (event.copies == 0) {
        // The set is in memory, and perhaps in RAW. Retried until a disk takes it.
        const auto pause = doubled(1s, failed_commits_, 30s);
        ++failed_commits_;
        return {commit_kind_, now_ + pause, Rejection::none};
    }
    const auto measures = commit_kind_ == ActionKind::commit && pending_.old_token_was_alive &&
                          !learned_.old_token_dies.has_value() && learned_.canary_refuses.value_or(false);
    const auto is_rest = commit_kind_ == ActionKind::commit_rest;
    take(event.holding);
    standing_ = is_rest ? Standing::lost : Standing::good;
    if (measures) {
        return go(State::measuring, ActionKind::ask_old_token);
    }
    return rest(is_rest ? Why::person : holding_.access ? Why::nothing : Why::no_access);
}

RefreshMachine::Action RefreshMachine::judge(Standing standing, Why why)
{
    standing_ = standing;
    why_ = why;
    if (standing == Standing::foreign || standing == Standing::lost) {
        doubt_ = {};
    }
    return go(State::judging, ActionKind::write_verdict);
}

// A verdict that cannot be written stays in memory. On disk the INTENT then means "in doubt", which is safe.
RefreshMachine::Action RefreshMachine::from_judging()
{
    switch (why_) {
    case Why::not_sent: return doubt_.open ? wait_for(pause_until_sent(), why_) : not_now(why_);
    case Why::throttled:
        if (doubt_.open && doubt_.committed) {
            return wait_for(replay_pause(tries_++), why_);
        }
        if (!doubt_.throttled || !oracle_holds()) {
            return wait_for(told_to_wait_ - now_, why_);
        }
        break;
    case Why::configuration:
        // The refusal may come from a gateway for a minute, and a grace window is not much longer.
        return wait_for(doubt_.open ? replay_pause(tries_++) : std::clamp<Duration>(holding_.lifetime / 100, 60s, 1h),
                        why_);
    case Why::doubt: break;
    default:
        return standing_ == Standing::lost && access_survived_ ? commit(ActionKind::commit_rest) : rest(Why::person);
    }
    if (oracle_holds()) {
        cause_ = Cause::doubt;
        return go(State::proving, ActionKind::ask_canary);
    }
    return keeps_unread_set() ? rest(Why::doubt) : wait_for(std::max(replay_due() - now_, Duration(0)), Why::doubt);
}

RefreshMachine::Action RefreshMachine::from_measuring(CanaryAnswer answer)
{
    if (refuses(answer) || accepts(answer)) {
        learned_.old_token_dies = refuses(answer);
    }
    return rest(holding_.access ? Why::nothing : Why::no_access);
}

}  // namespace shelfd::oauth

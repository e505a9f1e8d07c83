// What the canary's answer means for the refresh that waits for it.
#include "oauth/machine/refresh_machine.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

// No gateway is known to wait longer for its server: a request without effect by then will have none.
constexpr Duration gateway_time = 180s;
// Minimum time between two exchanges of one library, except replays.
constexpr Duration min_spacing = 1s;
// How long the canary's answer to a wrong token counts if a 401 elsewhere depends on it.
constexpr Duration fit_for = 1h;

}  // namespace

RefreshMachine::Action RefreshMachine::from_proving(CanaryAnswer answer)
{
    if (holding_.access && refuses(answer)) {
        learn_fitness(true);
    }
    if (accepts(answer) && must_try_canary()) {
        return go(State::fitting, ActionKind::ask_wrong_token);
    }
    switch (cause_) {
    case Cause::timer: return decide_timer(answer);
    case Cause::rejection: return decide_rejection(answer);
    case Cause::doubt: return decide_doubt(answer);
    case Cause::seal: break;  // goes straight to preparing
    }
    std::abort();
}

// The present token was just accepted; `answer` is the reply to a token that was never issued.
RefreshMachine::Action RefreshMachine::from_fitting(CanaryAnswer answer)
{
    const auto is_known = refuses(answer) || accepts(answer);
    if (is_known) {
        learn_fitness(refuses(answer));
    }
    switch (cause_) {
    case Cause::timer: return decide_timer(CanaryAnswer::ours);
    case Cause::rejection: return is_known ? decide_rejection(CanaryAnswer::ours) : rest(Why::unreachable);
    case Cause::doubt: return decide_doubt(CanaryAnswer::ours);
    case Cause::seal: break;
    }
    std::abort();
}

RefreshMachine::Action RefreshMachine::decide_timer(CanaryAnswer answer)
{
    if (!proves_path(answer)) {
        return not_now(answer == CanaryAnswer::throttled ? Why::throttled : Why::unreachable);
    }
    if (accepts(answer)) {
        access_dead_ = false;
    }
    if (holding_.access && refuses(answer)) {
        return confirmed(answer);
    }
    if (now_ < last_sent_ + min_spacing && !once_more_.now) {
        return wait_for(last_sent_ + min_spacing - now_, why_);
    }
    const auto until = full_until();
    return until ? day_is_full(*until) : prepare();
}

RefreshMachine::Action RefreshMachine::decide_rejection(CanaryAnswer answer)
{
    if (refuses(answer)) {
        return confirmed(answer);
    }
    if (!accepts(answer)) {
        return rest(answer == CanaryAnswer::throttled ? Why::throttled : Why::unreachable);
    }
    if (learned_.canary_refuses.value_or(false)) {
        access_dead_ = false;
        return rest(why_ == Why::canary_unfit ? Why::nothing : why_, Rejection::refused);
    }
    if (!refusal_.says_expired && now_ < expires()) {
        return refusal_.has_refuser ? go(State::consulting, ActionKind::ask_refuser)
                                    : rest(Why::canary_unfit, Rejection::unconfirmed);
    }
    const auto kept_back = keep_back();
    return kept_back ? *kept_back : prepare();
}

// `answer` is that of the address which refused the token; unreachable unless it also refuses a wrong one.
RefreshMachine::Action RefreshMachine::from_consulting(CanaryAnswer answer)
{
    if (refuses(answer)) {
        return confirmed(answer);
    }
    if (accepts(answer)) {
        access_dead_ = false;
        return rest(Why::nothing);
    }
    return rest(Why::canary_unfit, Rejection::unconfirmed);
}

void RefreshMachine::learn_fitness(bool refuses)
{
    learned_.canary_refuses = refuses;
    canary_tried_at_ = now_;
}

bool RefreshMachine::must_try_canary() const
{
    const auto is_old = cause_ == Cause::rejection && now_ - canary_tried_at_ >= fit_for;
    return is_old || !learned_.canary_refuses.has_value();
}

void RefreshMachine::forget_canary()
{
    learned_.canary_refuses.reset();
    canary_tried_at_ = long_ago;
}

// Handles a present access token that the canary itself refused, or an address in its place.
RefreshMachine::Action RefreshMachine::confirmed(CanaryAnswer answer)
{
    const auto strange = answer == CanaryAnswer::refused_as_invalid && now_ < expires();
    access_dead_ = true;
    if (const auto kept_back = keep_back()) {
        return *kept_back;
    }
    if (strange) {
        purpose_ = Purpose::suspicion;
        return go(State::comparing, ActionKind::reread);
    }
    return prepare();
}

// Returns why a refresh for a refused token must wait; an empty optional if it may be tried now.
std::optional<RefreshMachine::Action> RefreshMachine::keep_back()
{
    const auto look = [this]() -> std::optional<Action> {
        if (!can_refresh()) {
            return rest(copied_ ? Why::copied : Why::person);
        }
        if (standing_ == Standing::configuration && now_ < not_before_ && !once_more_.now) {
            return rest(Why::configuration);
        }
        if (now_ < told_to_wait_) {
            not_before_ = std::max(not_before_, told_to_wait_);
            return rest(Why::throttled);
        }
        const auto not_yet = once_more_.now ? not_before_ : std::max(hurry_over(), last_sent_ + min_spacing);
        if (now_ < not_yet) {
            not_before_ = std::max(not_before_, not_yet);
            return rest(Why::hurried);
        }
        if (const auto until = full_until()) {
            return day_is_full(*until);
        }
        return std::nullopt;
    };
    const bool is_asked = now_ < std::exchange(once_more_.until, BootTime());
    auto kept = look();
    if (kept && is_asked && can_refresh()) {
        const auto own = not_before_;
        ask_once_more(now_);
        kept = look();
        if (kept && own < not_before_) {
            not_before_ = own;  // who asks does not wait longer for it
            kept = rest(why_);
        }
    }
    return kept;
}

// What follows an ambiguous refresh. The oracle is the old access token: if the canary refuses it, the service acted.
RefreshMachine::Action RefreshMachine::decide_doubt(CanaryAnswer answer)
{
    if (!proves_path(answer)) {
        return decide_unasked_doubt(answer);
    }
    if (holding_.access && (accepts(answer) || refuses(answer))) {
        access_dead_ = refuses(answer);
    }
    auto due = replay_due();
    if (oracle_holds() && accepts(answer) && doubt_.throttled) {
        doubt_ = {};
        standing_ = Standing::good;
        return wait_for(told_to_wait_ - now_, Why::throttled);
    }
    if (oracle_holds() && refuses(answer)) {
        // The service rotated. A grace window is short, so the first replay ignores the wait that the service asked
        // for.
        doubt_.committed = true;
        due = doubt_.replays == 0 ? now_ : due;
    } else if (oracle_holds()) {
        doubt_.alive = accepts(answer);
        due = std::max(replay_due(), doubt_.last_sent + gateway_time);
    }
    return replay_at(due);
}

// A replay may directly follow the exchange that it repeats, but not an attempt that was not sent or was refused.
RefreshMachine::Action RefreshMachine::replay_at(BootTime due)
{
    if (keeps_unread_set()) {
        return rest(Why::doubt);
    }
    const auto at = last_sent_ == doubt_.last_sent ? due : std::max(due, last_sent_ + min_spacing);
    return now_ >= at ? prepare() : wait_for(at - now_, Why::doubt);
}

// Handles an oracle that cannot be asked. If the service rotated, a grace window may end within seconds, so the first
// replay does not wait. If it did not, the replay is an ordinary refresh. The risk is a gateway that still holds the
// first request: without a grace window and with revocation of token families, that request could end the new set.
RefreshMachine::Action RefreshMachine::decide_unasked_doubt(CanaryAnswer answer)
{
    const auto why = answer == CanaryAnswer::throttled ? Why::throttled : Why::unreachable;
    if (!waits_for_first_replay()) {
        return wait_for(replay_pause(std::min(tries_++, 4u)), why);
    }
    if (now_ < told_to_wait_ && !doubt_.committed) {
        return wait_for(told_to_wait_ - now_, why);
    }
    return tries_ > 0 ? replay_at(now_) : wait_for(replay_pause(tries_++), why);
}

}  // namespace shelfd::oauth

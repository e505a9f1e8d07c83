// What an answer of the canary means for the refresh that waits for it.
#include "oauth/refresh_machine.hpp"

#include <algorithm>
#include <cstdlib>

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

// No gateway is known to wait longer for its server; after that time, what was sent and is not done will not be done.
constexpr Duration gateway_time = 180s;

}  // namespace

bool accepts(CanaryAnswer answer)
{
    return answer == CanaryAnswer::ours || answer == CanaryAnswer::wrong_library;
}

bool refuses(CanaryAnswer answer)
{
    return answer == CanaryAnswer::refused || answer == CanaryAnswer::refused_as_invalid;
}

bool proves_path(CanaryAnswer answer)
{
    return accepts(answer) || refuses(answer) || answer == CanaryAnswer::forbidden;
}

RefreshMachine::Action RefreshMachine::from_proving(CanaryAnswer answer)
{
    if (holding_.access && refuses(answer)) {
        learned_.canary_refuses = true;
    }
    const auto must_know_fitness = accepts(answer) && !learned_.canary_refuses.has_value();
    if (must_know_fitness) {
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

// The present token was accepted just now; what does the canary say to a token that nobody issued?
RefreshMachine::Action RefreshMachine::from_fitting(CanaryAnswer answer)
{
    if (refuses(answer)) {
        learned_.canary_refuses = true;
    } else if (accepts(answer)) {
        learned_.canary_refuses = false;
    }
    switch (cause_) {
    case Cause::timer: return decide_timer(CanaryAnswer::ours);
    case Cause::rejection:
        return learned_.canary_refuses.has_value() ? decide_rejection(CanaryAnswer::ours) : rest(Why::unreachable);
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
    return day_is_full() ? not_now(Why::too_many) : prepare();
}

RefreshMachine::Action RefreshMachine::decide_rejection(CanaryAnswer answer)
{
    if (refuses(answer)) {
        return confirmed(answer);
    }
    if (!accepts(answer)) {
        return rest(answer == CanaryAnswer::throttled ? Why::throttled : Why::unreachable);
    }
    access_dead_ = false;
    const auto is_fit = learned_.canary_refuses.value_or(false);
    const auto expired = says_expired_ || now_ >= expires();
    if (is_fit || !expired) {
        return rest(is_fit ? why_ : Why::canary_unfit, Rejection::refused);
    }
    const auto kept_back = keep_back();
    return kept_back ? *kept_back : prepare();
}

// The canary itself refused the present access token.
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

// Of a refresh that a refused token asks for: why it is not tried now; nothing: it may be.
std::optional<RefreshMachine::Action> RefreshMachine::keep_back()
{
    if (!can_refresh()) {
        return rest(copied_ ? Why::copied : Why::person);
    }
    if (standing_ == Standing::configuration && now_ < not_before_) {
        return rest(Why::configuration);
    }
    if (now_ < told_to_wait_) {
        not_before_ = std::max(not_before_, told_to_wait_);
        return rest(Why::throttled);
    }
    if (now_ < hurry_over()) {
        not_before_ = std::max(not_before_, hurry_over());
        return rest(Why::hurried);
    }
    if (day_is_full()) {
        return not_now(Why::too_many);
    }
    return std::nullopt;
}

RefreshMachine::Action RefreshMachine::decide_doubt(CanaryAnswer answer)
{
    if (!proves_path(answer)) {
        const auto why = answer == CanaryAnswer::throttled ? Why::throttled : Why::unreachable;
        return wait_for(replay_pause(std::min(tries_++, 4u)), why);
    }
    if (holding_.access && (accepts(answer) || refuses(answer))) {
        access_dead_ = refuses(answer);
    }
    auto due = std::max(doubt_.last_sent + replay_pause(doubt_.replays), told_to_wait_);
    if (oracle_holds() && refuses(answer)) {
        // The rotation was committed: a grace window, if there is one, is short, whatever the service asked for.
        doubt_.committed = true;
        due = doubt_.replays == 0 ? now_ : due;
    } else if (oracle_holds()) {
        due = std::max(due, doubt_.last_sent + gateway_time);
    }
    return now_ >= due ? prepare() : wait_for(due - now_, Why::doubt);
}

}  // namespace shelfd::oauth

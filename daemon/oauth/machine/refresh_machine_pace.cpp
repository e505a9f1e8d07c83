// When the machine may act: at half of the lifetime, and within limits that prevent a storm of requests.
#include "oauth/machine/refresh_machine.hpp"

#include "base/backoff.hpp"

#include <algorithm>
#include <array>

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

constexpr Duration day = 24h;
constexpr std::array<Duration, 7> replay_pauses = {1s, 5s, 20s, 60s, 5min, 30min, 1h};

// Minimum time between an exchange and the next one that a person asks for.
constexpr Duration person_spacing = 10s;

// One tenth of the lifetime, at least a second.
Duration min_gap(const Holding& holding)
{
    return std::max<Duration>(1s, holding.lifetime / 10);
}

// Pause after unreadable answers: the journal keeps such an answer until later ones overwrite it.
constexpr Duration unreadable_pause = 6h;

// No service issues access tokens for less than that: it is a wrong unit, or a token that is expired on arrival.
constexpr Duration min_lifetime = 1min;

// 24 a day, or four per access token lifetime if that is more. A lifetime that cannot be meant permits no more.
std::uint32_t max_a_day(const Holding& holding)
{
    const auto lives = holding.lifetime < min_lifetime ? 0 : day / holding.lifetime;
    return static_cast<std::uint32_t>(std::max<std::int64_t>(24, 4 * lives));
}

// Interval of the second half of the day's refreshes.
Duration spread(const Holding& holding)
{
    return 2 * day / max_a_day(holding);
}

}  // namespace

Duration RefreshMachine::replay_pause(std::uint32_t replays)
{
    return replay_pauses[std::min<std::size_t>(replays, replay_pauses.size() - 1)];
}

void RefreshMachine::ask_once_more(BootTime now)
{
    // A Retry-After of a day may come from a gateway that has recovered; a person need not wait for it.
    constexpr Duration max_for_a_person = std::chrono::minutes(1);
    if (!doubt_.open && standing_ == Standing::good && access_is_usable(now)) {
        once_more_.until = now + max_for_a_person;
        return;
    }
    once_more_.now = true;
    told_to_wait_ = std::min(told_to_wait_, now + max_for_a_person);
    // Programs ask like persons do, in a loop if need be. What is in doubt has pauses of its own.
    const auto floor = doubt_.open ? BootTime() : last_sent_ + person_spacing;
    not_before_ = std::max({std::min(not_before_, now), told_to_wait_, floor});
    tries_ = doubt_.open ? tries_ : 0;
}

// Stores the wait for all later requests, also after a restart, for a day at most.
void RefreshMachine::record_wait(Duration asked)
{
    if (asked > Duration(0)) {
        told_to_wait_ = now_ + std::min(asked, day);
    }
}

bool RefreshMachine::secret_changed(BootTime now)
{
    // Also for an ambiguous exchange: its replay still waits for the gateway time and the pause between replays.
    const auto is_refused = standing_ == Standing::configuration && why_ != Why::throttled;
    if (!is_refused && why_ != Why::secret) {
        return false;
    }
    not_before_ = std::max(std::min(not_before_, now), told_to_wait_);
    once_more_.now = once_more_.now || !doubt_.open;
    tries_ = 0;
    return true;
}

void RefreshMachine::set_copied()
{
    copied_ = true;
    why_ = Why::copied;
}

// A set without an access token counts like one whose access token is refused.
void RefreshMachine::count_refresh()
{
    const auto was_young = !holding_.access || now_ - holding_.issued < holding_.lifetime / 10;
    const auto by_refusal =
        cause_ == Cause::rejection || (cause_ == Cause::timer && (access_dead_ || !holding_.access));
    rate_.hurried = !by_refusal ? 0 : was_young ? rate_.hurried + 1 : 1;
    rate_.count(now_, 1);
}

void RefreshMachine::Rate::count(BootTime at, std::uint32_t exchanges)
{
    if (at - day_start >= day) {
        day_start = at;
        day_count = 0;
    }
    day_count += exchanges;
}

RefreshMachine::Action RefreshMachine::rest_now() const
{
    return {ActionKind::rest, wake_time(), Rejection::none};
}

RefreshMachine::Action RefreshMachine::rest(Why why, Rejection rejection)
{
    state_ = State::resting;
    why_ = why;
    return {ActionKind::rest, wake_time(), rejection};
}

RefreshMachine::Action RefreshMachine::wait_for(Duration pause, Why why)
{
    not_before_ = now_ + pause;
    return rest(why);
}

// Pauses double from 10 s to 15 min; they are shorter for short lifetimes.
RefreshMachine::Action RefreshMachine::not_now(Why why)
{
    const auto longest = std::clamp<Duration>(holding_.lifetime / 20, 1s, 15min);
    const auto pause = doubled(10s, tries_, longest);
    ++tries_;
    return wait_for(pause, why);
}

bool RefreshMachine::can_refresh() const
{
    return holding_.refresh && !copied_ && standing_ != Standing::foreign && standing_ != Standing::lost;
}

bool RefreshMachine::is_exchanging() const
{
    return state_ == State::intending || state_ == State::exchanging || state_ == State::landing ||
           state_ == State::committing || state_ == State::judging ||
           (state_ == State::comparing && purpose_ == Purpose::denial);
}

bool RefreshMachine::access_is_usable(BootTime now) const
{
    return holding_.access && !access_dead_ && now < expires();
}

// True if the commit oracle works: rotations revoke the old access token, and the canary refuses revoked tokens.
bool RefreshMachine::old_token_tells(BootTime now) const
{
    return holding_.access && now < expires() && learned_.canary_refuses.value_or(true) &&
           learned_.old_token_dies.value_or(true);
}

// True before the first replay, unless it is known to be too early: waiting may waste a grace window.
bool RefreshMachine::waits_for_first_replay() const
{
    return doubt_.open && doubt_.replays == 0 && !doubt_.alive && !doubt_.has_unread_set;
}

// True if the new set is in an answer that is not understood: a replay would present a spent token, and could bring
// nothing but another such answer. Not before the oracle has spoken, if it can.
bool RefreshMachine::keeps_unread_set() const
{
    return doubt_.open && doubt_.has_unread_set && !doubt_.alive && !once_more_.now &&
           (doubt_.committed || !oracle_holds());
}

BootTime RefreshMachine::replay_due() const
{
    const auto is_kept = doubt_.unreadable > 1 && !doubt_.alive;
    const auto pause = once_more_.now ? replay_pause(0) : is_kept ? unreadable_pause : replay_pause(doubt_.replays);
    return std::max(doubt_.last_sent + pause, told_to_wait_);
}

// Pause after a replay that did not reach the token endpoint.
Duration RefreshMachine::pause_until_sent()
{
    const auto pause = replay_pause(tries_++);
    const auto is_early = now_ - doubt_.last_sent < 2min;
    return waits_for_first_replay() && is_early ? std::min<Duration>(pause, 5s) : pause;
}

BootTime RefreshMachine::hurry_over() const
{
    const auto is_young = !holding_.access || now_ - holding_.issued < holding_.lifetime / 10;
    if (rate_.hurried == 0 || !is_young) {
        return long_ago;
    }
    // Without an access token nothing works, so the wait is at most the interval that the day's number requires.
    const auto longest = holding_.access ? min_gap(holding_) : spread(holding_);
    return holding_.issued + doubled(60s, rate_.hurried - 1, longest);
}

// Half of the day's refreshes may come at any time. The others are spread, so that a storm does not use up the day.
std::optional<BootTime> RefreshMachine::full_until() const
{
    if (once_more_.now || now_ - rate_.day_start >= day || rate_.day_count < max_a_day(holding_) / 2) {
        return std::nullopt;
    }
    const auto is_used_up = rate_.day_count >= max_a_day(holding_);
    const auto until = is_used_up ? rate_.day_start + day : holding_.issued + spread(holding_);
    return until > now_ ? std::optional(until) : std::nullopt;
}

RefreshMachine::Action RefreshMachine::day_is_full(BootTime until)
{
    return wait_for(until - now_, Why::too_many);
}

std::optional<BootTime> RefreshMachine::wake_time() const
{
    if (!can_refresh()) {
        return std::nullopt;
    }
    if (!holding_.access && !doubt_.open) {
        return once_more_.now ? not_before_ : std::max(not_before_, hurry_over());
    }
    if (keeps_unread_set()) {
        return std::nullopt;
    }
    if (standing_ != Standing::good || doubt_.open || access_dead_ || holding_.to_seal) {
        return not_before_;
    }
    // Half of the lifetime, moved by up to a twentieth, so that many libraries do not refresh at the same time.
    const auto share = 0.45 + 0.1 * random_;
    const auto half = Duration(static_cast<std::int64_t>(static_cast<double>(holding_.lifetime.count()) * share));
    return std::max({holding_.issued + half, holding_.issued + min_gap(holding_), not_before_});
}

bool RefreshMachine::needs_look(BootTime now) const
{
    if (!doubt_.open) {
        const auto is_dark = can_refresh() && !access_is_usable(now);
        return is_dark && (why_ == Why::too_many || (why_ == Why::no_access && rate_.hurried > 1));
    }
    const auto is_dead = access_dead_ || !access_is_usable(now);
    const auto is_unread = doubt_.unreadable > 0 && !doubt_.alive;
    const auto is_refused = doubt_.refusals > 1 || (doubt_.refusals > 0 && is_dead);
    if (is_unread || is_refused) {
        return true;
    }
    return now - doubt_.since >= day && (doubt_.server_errors > 0 || is_dead);
}

Haste RefreshMachine::haste(BootTime now) const
{
    const auto is_late = !access_is_usable(now) || now >= urgent_from();
    return doubt_.open ? Haste::in_doubt : is_late || cause_ == Cause::seal ? Haste::urgent : Haste::calm;
}

const char* to_string(RefreshMachine::State state)
{
    using State = RefreshMachine::State;
    switch (state) {
    case State::resting: return "resting";
    case State::proving: return "proving";
    case State::fitting: return "fitting";
    case State::consulting: return "consulting";
    case State::comparing: return "comparing";
    case State::preparing: return "preparing";
    case State::intending: return "intending";
    case State::exchanging: return "exchanging";
    case State::landing: return "landing";
    case State::committing: return "committing";
    case State::judging: return "judging";
    case State::measuring: return "measuring";
    }
    std::abort();
}

const char* to_string(CanaryAnswer answer)
{
    switch (answer) {
    case CanaryAnswer::ours: return "ours";
    case CanaryAnswer::wrong_library: return "wrong_library";
    case CanaryAnswer::refused: return "refused";
    case CanaryAnswer::refused_as_invalid: return "refused_as_invalid";
    case CanaryAnswer::forbidden: return "forbidden";
    case CanaryAnswer::throttled: return "throttled";
    case CanaryAnswer::unreachable: return "unreachable";
    }
    std::abort();
}

}  // namespace shelfd::oauth

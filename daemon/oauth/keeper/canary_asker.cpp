// Asking the canary: for the machine, and for those who want to know who we are.
#include "oauth/keeper/token_keeper.hpp"

#include "base/backoff.hpp"
#include "oauth/endpoint/clock_trouble.hpp"
#include "runtime/async/deadline.hpp"

#include <algorithm>

namespace shelfd::oauth {

using namespace std::chrono_literals;

namespace {

// Of the oracle, before a first replay: its turn with the limiter included. A grace window may be 25 s long.
constexpr Duration oracle_patience = 3s;

CanaryVerdict::Kind kind_of(const CanaryReading& reading)
{
    switch (reading.answer) {
    case CanaryAnswer::ours: return CanaryVerdict::Kind::ours;
    case CanaryAnswer::wrong_library: return CanaryVerdict::Kind::wrong_library;
    case CanaryAnswer::refused:
    case CanaryAnswer::refused_as_invalid: return CanaryVerdict::Kind::unauthorized;
    case CanaryAnswer::forbidden: return CanaryVerdict::Kind::forbidden;
    case CanaryAnswer::throttled:
    case CanaryAnswer::unreachable: break;
    }
    return reading.misconfigured ? CanaryVerdict::Kind::misconfigured : CanaryVerdict::Kind::unreachable;
}

CanaryReading no_reading_in_time()
{
    CanaryReading reading;
    reading.text = "no answer within " + describe_duration(oracle_patience);
    return reading;
}

}  // namespace

asio::awaitable<Result<http::Response>> TokenKeeper::send_canary(const CanarySpec& spec, std::optional<Secret> token)
{
    Permit permit;
    if (services_.permit_canary) {
        permit = co_await services_.permit_canary(machine_.haste(services_.clock.boot_now()));
    }
    auto request = make_canary_request(spec, std::move(token), settings_.endpoint.route, settings_.canary_timeouts);
    auto outcome = co_await services_.client.send(std::move(request));
    if (services_.canary_ended && permit) {
        services_.canary_ended(permit, outcome);
    }
    co_return outcome;
}

asio::awaitable<CanaryReading> TokenKeeper::ask_other(CanarySpec spec, Secret token)
{
    const auto outcome = co_await send_canary(spec, std::move(token));
    co_return read_canary(spec, outcome, services_.clock.now());
}

asio::awaitable<CanaryReading> TokenKeeper::ask_with_wrong_token()
{
    return ask_other(canary_spec(), Secret(std::string(wrong_token)));
}

asio::awaitable<CanaryReading> TokenKeeper::read_canary_with(std::optional<Secret> token)
{
    const auto spec = canary_spec();
    const auto outcome = co_await send_canary(spec, std::move(token));
    auto reading = read_canary(spec, outcome, services_.clock.now());
    if (outcome) {
        canary_fault_ = reading.misconfigured ? reading.text : "";
    }
    if (reading.service_date) {
        record_clock(clock_trouble_beside(*reading.service_date, services_.clock.now()));
    }
    co_return reading;
}

void TokenKeeper::record_clock(std::string trouble)
{
    if (clock_trouble_.empty() && !trouble.empty()) {
        services_.log.warning("the clock is wrong", {{"library", settings_.library}, {"reason", trouble}});
    }
    clock_trouble_ = std::move(trouble);
}

// Only what was said about the present token counts.
void TokenKeeper::record_identity(const CanaryReading& reading)
{
    const auto was = wrong_library_;
    if (reading.answer == CanaryAnswer::wrong_library) {
        wrong_library_ = reading.text;
    } else if (reading.answer == CanaryAnswer::ours) {
        wrong_library_.clear();
        pinned_library_ = reading.library_id.empty() ? pinned_library_ : reading.library_id;
    }
    if (was != wrong_library_) {
        announce();
    }
}

// After an answer that says nothing about a set that waits for it.
BootTime TokenKeeper::ask_again_at(const CanaryReading& reading)
{
    const auto pause = doubled(10s, asked_, 15min);
    ++asked_;
    return services_.clock.boot_now() + std::clamp<Duration>(reading.retry_after.value_or(pause), pause, 1h);
}

asio::awaitable<TokenKeeper::Event> TokenKeeper::ask_canary(Machine::ActionKind kind)
{
    std::optional<Secret> token;
    if (kind == Machine::ActionKind::ask_wrong_token) {
        token.emplace(std::string(wrong_token));
    } else if (kind == Machine::ActionKind::ask_old_token) {
        token.emplace(old_access_.clone());
    } else if (access_) {
        token.emplace(access_->clone());
    }
    const auto& doubt = machine_.doubt();
    const bool is_pressing = doubt.open && doubt.replays == 0 && !doubt.alive;
    auto asking = read_canary_with(std::move(token));
    CanaryReading reading;
    if (is_pressing) {
        auto in_time = co_await with_deadline(services_.clock, std::move(asking), oracle_patience);
        reading = in_time ? std::move(*in_time) : no_reading_in_time();
    } else {
        reading = co_await std::move(asking);
    }
    if (kind == Machine::ActionKind::ask_canary) {
        record_identity(reading);
    }
    if (!proves_path(reading.answer)) {
        trouble_ = "the canary: " + reading.text;
    }
    auto event = make_event(EventKind::canary);
    event.canary = reading.answer;
    co_return event;
}

asio::awaitable<Result<CanaryVerdict>> TokenKeeper::canary()
{
    for (int tries = 0;; ++tries) {
        SHELFD_CO_TRY_ASSIGN(token, co_await access());
        auto reading = co_await read_canary_with(token.token->clone());
        if (refuses(reading.answer) && set_ && set_->generation != token.generation && tries < 2) {
            continue;  // the token was replaced while it was asked about
        }
        if (set_ && set_->generation == token.generation) {
            record_identity(reading);
        }
        CanaryVerdict verdict;
        verdict.kind = kind_of(reading);
        verdict.library_id = std::move(reading.library_id);
        verdict.generation = token.generation;
        verdict.text = std::move(reading.text);
        verdict.retry_after = reading.retry_after;
        verdict.service_date = reading.service_date;
        co_return verdict;
    }
}

}  // namespace shelfd::oauth

#include "oauth/keeper/token_keeper.hpp"

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fmt/format.h>

namespace shelfd::oauth {
namespace {

// A wake-up later than this was no busy loop: the machine was suspended.
constexpr Duration overslept = std::chrono::minutes(10);

}  // namespace

TokenKeeper::TokenKeeper(Settings settings, Services services, Store store)
    : settings_(std::move(settings)), services_(std::move(services)), store_(std::move(store)),
      pair_(store_.a, store_.b, settings_.library, store_.refuge)
{
}

asio::awaitable<std::unique_ptr<TokenKeeper>> TokenKeeper::open(Settings settings, Services services, Store store)
{
    std::unique_ptr<TokenKeeper> keeper(new TokenKeeper(std::move(settings), std::move(services), std::move(store)));
    co_await keeper->open_journals();
    co_return keeper;
}

asio::awaitable<void> TokenKeeper::run()
{
    struct Ending {
        TokenKeeper& keeper;
        ~Ending() { keeper.stopped(); }
    };
    stopped_ = false;
    const Ending ending{*this};
    for (;;) {
        if (std::exchange(must_land_, false)) {
            co_await land_what_was_open();
        }
        co_await tend_journals();
        const bool is_open = co_await settle_login_when_due();
        if (must_note_ && !is_open && !is_closed_) {
            must_note_ = false;
            co_await record_standing();
        }
        if (must_land_ || co_await serve_next()) {
            continue;
        }
        if (is_open) {
            // Nothing is refreshed meanwhile: its answer would take the place of the login's.
            co_await idle(candidate_fault().empty() ? asking_due_ : look_due_);
            continue;
        }
        const auto asks_at = co_await prove_set_when_due();
        rest_until_ = machine_.rest_now().until;
        if (rest_until_ && *rest_until_ <= services_.clock.boot_now()) {
            co_await wake();
        } else {
            const auto until = std::min(rest_until_.value_or(tending_time()), tending_time());
            co_await idle(std::min(until, asks_at.value_or(until)));
        }
    }
}

// Coroutines of their own, so that the one that waits for days does not hold the room of their events.
asio::awaitable<void> TokenKeeper::land_what_was_open()
{
    co_await drive(machine_.resume(landed_event()));
}

asio::awaitable<void> TokenKeeper::wake()
{
    co_await drive(machine_.resume(make_event(EventKind::woke)));
}

asio::awaitable<void> TokenKeeper::idle(BootTime until)
{
    poked_ = false;
    if (services_.clock.boot_now() >= until) {
        // Whatever is overdue, the others on this loop have their turn before it is looked at again.
        co_await asio::post(services_.executor, asio::use_awaitable);
    }
    while (!is_wanted() && services_.clock.boot_now() < until) {
        co_await services_.clock.wait_until(until, wanted_);
    }
    const auto now = services_.clock.boot_now();
    if (rest_until_ && now - until > overslept && now - *rest_until_ > overslept) {
        services_.log.warning("this machine was suspended and slept past the time of a refresh",
                              {{"library", settings_.library}, {"late", describe_duration(now - *rest_until_)}});
    }
}

bool TokenKeeper::is_wanted() const
{
    return !commands_.empty() || round_ || poked_;
}

// One command or one round of rejections; false when nobody wants anything.
asio::awaitable<bool> TokenKeeper::serve_next()
{
    if (!commands_.empty()) {
        const auto command = commands_.front();
        commands_.pop_front();
        co_await command->act();
        command->ended = true;
        announce();
        co_return true;
    }
    if (!round_) {
        co_return false;
    }
    if (login_is_open_) {
        decide_round(Rejection::none);  // the canary that would confirm it cannot be reached either
        co_return true;
    }
    auto event = make_event(EventKind::rejected);
    event.says_expired = round_->says_expired;
    const auto rest = co_await drive(machine_.resume(event));
    decide_round(rest.rejection);
    co_return true;
}

// From the action given to the next rest. What may be interrupted is, what must not be is not.
asio::awaitable<TokenKeeper::Action> TokenKeeper::drive(Action action)
{
    while (action.kind != Machine::ActionKind::rest) {
        if (machine_.is_exchanging()) {
            // A coroutine of its own ignores a cancellation that this one remembers.
            auto stretch = drive_shielded(action);
            action = co_await asio::co_spawn(services_.executor, std::move(stretch), asio::use_awaitable);
        } else {
            const auto event = co_await perform(action);
            action = machine_.resume(event);
        }
        announce();
    }
    client_secret_ = Secret();
    exchange_permit_.reset();
    if (std::exchange(secret_is_new_, false)) {
        machine_.secret_changed(services_.clock.boot_now());
    }
    rest_until_ = machine_.rest_now().until;
    record_blockage();
    if (round_ && set_ && round_->generation != set_->generation) {
        decide_round(Rejection::none);
    }
    announce();
    co_return action;
}

asio::awaitable<TokenKeeper::Action> TokenKeeper::drive_shielded(Action action)
{
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    while (machine_.is_exchanging()) {
        const auto event = co_await perform(action);
        action = machine_.resume(event);
        announce();
    }
    co_return action;
}

void TokenKeeper::decide_round(Rejection outcome)
{
    if (round_) {
        round_->decided = true;
        round_->outcome = outcome;
        round_.reset();
    }
    announce();
}

void TokenKeeper::announce()
{
    const auto observer = observer_;
    changed_.notify_all();
    if (observer) {
        observer();
    }
}

void TokenKeeper::poke()
{
    poked_ = true;
    wanted_.notify_all();
}

void TokenKeeper::stopped()
{
    stopped_ = true;
    machine_.give_up();
    client_secret_ = Secret();
    exchange_permit_.reset();
    round_.reset();
    commands_.clear();
    changed_.notify_all();
}

bool TokenKeeper::is_idle() const
{
    const auto until = machine_.rest_now().until;
    // While a login waits nothing is refreshed, due or not.
    const auto is_due = until && *until <= services_.clock.boot_now() && !candidate_;
    return machine_.state() == Machine::State::resting && !is_due && !round_ && commands_.empty();
}

asio::awaitable<Result<AccessToken>> TokenKeeper::access()
{
    for (;;) {
        if (!machine_.is_exchanging() && access_ && machine_.access_is_usable(services_.clock.boot_now())) {
            co_return present();
        }
        if (stopped_) {
            co_return Error(ErrorKind::stopped, "the daemon is stopping");
        }
        if (is_idle() || machine_.failed_commits() > 0) {
            co_return why_not();
        }
        co_await changed_.wait();
    }
}

asio::awaitable<Result<AccessToken>> TokenKeeper::reject(std::uint64_t generation, std::string www_authenticate)
{
    if (!set_ || generation != set_->generation) {
        co_return co_await access();
    }
    if (!round_) {
        round_ = std::make_shared<RejectionRound>();
        round_->generation = generation;
    }
    const auto round = round_;
    round->says_expired = round->says_expired || read_challenge(www_authenticate) == Challenge::expired;
    wanted_.notify_all();
    while (!round->decided && !stopped_ && machine_.failed_commits() == 0) {
        co_await changed_.wait();
    }
    if (set_ && set_->generation != generation) {
        co_return co_await access();
    }
    if (round->outcome == Rejection::refused) {
        co_return Error(ErrorKind::refused, "the service refuses the token for this resource alone").with_status(401);
    }
    if (stopped_) {
        co_return Error(ErrorKind::stopped, "the daemon is stopping");
    }
    co_return why_not();
}

asio::awaitable<void> TokenKeeper::wait_idle()
{
    while (!is_idle() && machine_.failed_commits() == 0 && !stopped_) {
        co_await changed_.wait();
    }
}

asio::awaitable<void> TokenKeeper::wait_exchange_done()
{
    while (exchange_in_flight() && !stopped_) {
        co_await changed_.wait();
    }
}

void TokenKeeper::record_mirror_generation(std::uint64_t generation)
{
    mirror_generation_ = std::max(mirror_generation_, generation);
    if (!set_ && barred_.empty() && damaged_.empty() && mirror_generation_ > 0) {
        damaged_ = fmt::format("the token journals are gone: the mirror has seen generation {} of the set, and they "
                               "hold none",
                               mirror_generation_);
        services_.log.error("the token journals are gone", {{"library", settings_.library}, {"reason", damaged_}});
        announce();
    }
    const auto is_behind = set_ && mirror_generation_ > set_->generation;
    if (is_behind && !unread_.empty() && machine_.state() == Machine::State::resting) {
        close_journals(older_half_text(set_->generation));
        return;
    }
    if (set_ && is_copied() && copied_.empty()) {
        copied_ =
            fmt::format("the mirror has seen generation {}, and the journal knows only {}: an old journal was restored",
                        mirror_generation_, set_->generation);
        machine_.set_copied();
        services_.log.error("the token store looks restored; nothing is refreshed",
                            {{"library", settings_.library}, {"reason", copied_}});
        poke();
        announce();
    }
}

bool TokenKeeper::read_secret_again()
{
    const auto waited = machine_.secret_changed(services_.clock.boot_now());
    secret_is_new_ = machine_.state() != Machine::State::resting;
    poke();
    return waited;
}

void TokenKeeper::try_again()
{
    tend_tries_ = 0;
    tend_due_ = asking_due_ = services_.clock.boot_now();
    asked_ = 0;
    machine_.ask_once_more(services_.clock.boot_now());
    poke();
}

}  // namespace shelfd::oauth

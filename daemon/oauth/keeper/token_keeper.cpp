#include "oauth/keeper/token_keeper.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::oauth {
namespace {

// A later wake-up is not caused by a busy loop: the machine was suspended.
constexpr Duration overslept = std::chrono::minutes(10);

}  // namespace

TokenKeeper::TokenKeeper(Settings settings, Services services, Store store)
    : settings_(std::move(settings)), services_(std::move(services)), places_(store.places),
      moments_(services_.clock, settings_.boot_id), sets_({settings_.endpoint.base_url, settings_.endpoint.client_id}),
      standing_(services_.clock, moments_, machine_),
      journals_(settings_, services_, moments_, sets_, standing_, store),
      canary_(settings_, services_, sets_, machine_), exchange_(settings_, services_, moments_, journals_, standing_),
      intake_(parts()), driver_(intake_.parts, places_)
{
}

KeeperParts TokenKeeper::parts()
{
    return {settings_,
            services_,
            moments_,
            sets_,
            machine_,
            standing_,
            journals_,
            canary_,
            exchange_,
            [this] { return facts(); },
            [this] { announce(); },
            [this] { return rotate(); }};
}

TokenFacts TokenKeeper::facts() const
{
    return {settings_.library,
            places_,
            services_.clock.boot_now(),
            moments_,
            sets_,
            machine_,
            standing_,
            journals_.health(),
            journals_.wants_mending(),
            blockage_,
            exchange_.tally(),
            exchange_.last_landing(),
            canary_.fault(),
            canary_.clock_trouble(),
            canary_.spec().library_id,
            canary_.names_library(),
            rest_until_,
            intake_.login.failure()};
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
        if (owed_ == Owed::landing) {
            owed_ = Owed::nothing;
            co_await land_what_was_open();
        }
        if (!commands_.empty() && journals_.health().is_closed()) {
            journals_.try_again();  // perhaps the person has made room
        }
        co_await tend_journals();
        const bool login_waits = co_await intake_.login.settle_when_due();
        if (owed_ == Owed::verdict && !login_waits && !journals_.health().is_closed()) {
            owed_ = Owed::nothing;
            co_await journals_.record_standing();
        }
        if (owed_ == Owed::landing || co_await serve_next()) {
            continue;
        }
        if (login_waits) {
            co_await idle(sets_.candidate_fault().empty() ? intake_.pace.due() : journals_.look_due());
            continue;
        }
        const auto asks_at = co_await intake_.proof.run_when_due();
        rest_until_ = machine_.rest_now().until;
        if (rest_until_ && *rest_until_ <= services_.clock.boot_now()) {
            co_await wake();
        } else {
            const auto until = std::min(rest_until_.value_or(journals_.due()), journals_.due());
            co_await idle(std::min(until, asks_at.value_or(until)));
        }
    }
}

// Separate coroutines, so that `run`, which waits for days, does not keep the memory of their events.
asio::awaitable<void> TokenKeeper::land_what_was_open()
{
    co_await drive(driver_.landed_event());
}

asio::awaitable<void> TokenKeeper::wake()
{
    co_await drive(driver_.make_event(EventKind::woke));
}

asio::awaitable<void> TokenKeeper::rotate()
{
    co_await drive(driver_.make_event(EventKind::seal));
}

asio::awaitable<void> TokenKeeper::idle(BootTime until)
{
    poked_ = false;
    if (services_.clock.boot_now() >= until) {
        // Gives other tasks of the loop their turn, even if something is overdue.
        co_await asio::post(services_.executor, asio::use_awaitable);
    }
    while (!is_wanted() && services_.clock.boot_now() < until) {
        co_await services_.clock.wait_until(until, wanted_);
    }
    const auto now = services_.clock.boot_now();
    if (rest_until_ && now - until > overslept && now - *rest_until_ > overslept) {
        services_.log.warning("this machine was suspended past the time of a refresh",
                              {{"library", settings_.library}, {"late", describe_duration(now - *rest_until_)}});
    }
}

bool TokenKeeper::is_wanted() const
{
    return !commands_.empty() || round_ || poked_;
}

// Serves one command or one round of rejections. Returns false if there is neither.
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
    if (journals_.holds_code_intent()) {
        decide_round(Rejection::none);  // the canary that would confirm the 401 cannot be reached either
        co_return true;
    }
    auto event = driver_.make_event(EventKind::rejected);
    const auto round = round_;
    event.says_expired = round->says_expired;
    event.has_refuser = round->refuser.has_value();
    driver_.set_refuser(round->refuser);
    const auto rejection = co_await drive(event);
    if (round_ == round) {
        decide_round(rejection);
    }
    co_return true;
}

// Handles the event and all actions until the next rest.
asio::awaitable<Rejection> TokenKeeper::drive(Event event)
{
    const auto rest = co_await driver_.drive(machine_.resume(event));
    rest_until_ = machine_.rest_now().until;
    blockage_.record(facts(), services_.log);
    if (round_ && sets_.present() && round_->generation != sets_.present()->generation) {
        decide_round(Rejection::none);
    }
    announce();
    co_return rest.rejection;
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
    exchange_.let_go();
    round_.reset();
    commands_.clear();
    changed_.notify_all();
}

bool TokenKeeper::is_idle() const
{
    const auto until = machine_.rest_now().until;
    // While a login waits, nothing is refreshed.
    const auto is_due = until && *until <= services_.clock.boot_now() && !sets_.candidate();
    return machine_.state() == RefreshMachine::State::resting && !is_due && !round_ && commands_.empty();
}

asio::awaitable<Result<AccessToken>> TokenKeeper::access()
{
    for (;;) {
        if (!machine_.is_exchanging() && sets_.access() && machine_.access_is_usable(services_.clock.boot_now())) {
            co_return sets_.access_token();
        }
        if (stopped_) {
            co_return Error(ErrorKind::stopped, "the daemon is stopping");
        }
        if (is_idle() || machine_.failed_commits() > 0) {
            co_return why_not(facts());
        }
        co_await changed_.wait();
    }
}

asio::awaitable<Result<AccessToken>> TokenKeeper::reject(std::uint64_t generation, std::string www_authenticate,
                                                         std::optional<CanarySpec> refuser)
{
    if (!sets_.present() || generation != sets_.present()->generation) {
        co_return co_await access();
    }
    if (round_ && round_->generation != generation) {
        decide_round(Rejection::none);  // of a set that was replaced meanwhile: the new one is there
    }
    if (!round_) {
        round_ = std::make_shared<RejectionRound>();
        round_->generation = generation;
    }
    const auto round = round_;
    if (!round->refuser) {
        round->refuser = std::move(refuser);
    }
    round->says_expired = round->says_expired || read_challenge(www_authenticate) == Challenge::expired;
    wanted_.notify_all();
    while (!round->decided && !stopped_ && machine_.failed_commits() == 0) {
        co_await changed_.wait();
    }
    if (sets_.present() && sets_.present()->generation != generation) {
        co_return co_await access();
    }
    if (round->outcome == Rejection::refused) {
        co_return Error(ErrorKind::refused, "the service refuses the token for this resource only").with_status(401);
    }
    if (round->outcome == Rejection::unconfirmed) {
        co_return Error(ErrorKind::needs_person, std::string(unconfirmed_refusal)).with_status(401);
    }
    if (stopped_) {
        co_return Error(ErrorKind::stopped, "the daemon is stopping");
    }
    co_return why_not(facts());
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

bool TokenKeeper::read_secret_again()
{
    const auto waited = driver_.read_secret_again();
    journals_.look_again();
    poke();
    return waited;
}

void TokenKeeper::try_again()
{
    journals_.try_again();
    intake_.pace.try_again();
    machine_.ask_once_more(services_.clock.boot_now());
    poke();
}

}  // namespace shelfd::oauth

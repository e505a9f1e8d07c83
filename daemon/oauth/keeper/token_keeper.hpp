// Keeps exactly one usable token set for one library, whatever crashes: the driver of RefreshMachine.
#pragma once

#include "oauth/held/recovery.hpp"
#include "oauth/intake/set_intake.hpp"
#include "oauth/keeper/refresh_driver.hpp"
#include "runtime/async/async_event.hpp"

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>

namespace shelfd::oauth {

// Loop only; what blocks goes through lanes. `run()` must be running for anything but `status`, `reveal` and a token
// that is usable already, and has to be awaited before the keeper is destroyed.
class TokenKeeper {
public:
    using Settings = TokenKeeperSettings;
    using Services = TokenKeeperServices;
    using Permit = Services::Permit;

    // Opens the journals and recovers what they say; sends nothing. A library without a usable set is a state, and so
    // is one whose journals cannot be opened: `run` tries that again now and then.
    static asio::awaitable<std::unique_ptr<TokenKeeper>> open(Settings settings, Services services, Store store);
    TokenKeeper(const TokenKeeper&) = delete;
    TokenKeeper& operator=(const TokenKeeper&) = delete;

    // Refreshes when it is time. Ends when cancelled, but never between an intent and what became of it.
    asio::awaitable<void> run();

    // A token that is good as far as anybody knows. Waits while an exchange is under way, and for a refresh that is
    // due. Errors: needs_person, or why there is none now (network, throttled, storage; retry_after where it is known).
    asio::awaitable<Result<AccessToken>> access();

    // Reports a 401 got with that generation, and returns the token to try once more with. The canary confirms it
    // first; of many reports for one generation at most one exchange comes. Error of kind refused with status 401: the
    // canary accepts the token, so that one resource is refused, and trying again changes nothing. Other errors as
    // `access`.
    asio::awaitable<Result<AccessToken>> reject(std::uint64_t generation, std::string www_authenticate);

    // Asks the canary with the present token. A 401 is not reported further: that is the caller's choice.
    asio::awaitable<Result<CanaryVerdict>> canary();
    // What another page answers to `token`, any one; and that page as the canary from now on.
    asio::awaitable<CanaryReading> ask_other(CanarySpec spec, Secret token);
    // What the canary answers to a token that nobody issued.
    asio::awaitable<CanaryReading> ask_with_wrong_token();
    void set_canary(CanarySpec spec) { canary_.set_spec(std::move(spec)); }

    // Takes a set that a person gave, if it works and is of the right library; else nothing changes.
    asio::awaitable<Result<ImportOutcome>> import(ImportedSet set, ImportMode mode,
                                                  Destroying destroying = Destroying::refused);
    // Redeems an authorization code. The set it gives replaces the present one once the canary has said that it is of
    // the right library; until then the answer lies in the journal, whatever crashes. Errors as `import`.
    asio::awaitable<Result<ImportOutcome>> redeem(CodeGrant grant);
    // Gives the set away: marks it as moved to `where` (for people, may be "") on both copies, then returns it. Nothing
    // is used or refreshed here from then on.
    asio::awaitable<Result<Secret>> move_out(std::string where);
    // Takes what another machine gave away: as `import` with sealing, for the same service and application only. One
    // whose access token has ended is refreshed first, and asked then.
    asio::awaitable<Result<ImportOutcome>> move_in(MovedSet moved);
    // Declares a copied or restored store to be the one in force, or takes a set back that was given away.
    asio::awaitable<Result<void>> adopt();
    // Removes the set and wipes both journals.
    asio::awaitable<Result<void>> forget();
    // The access token for a person's own scripts; never refreshes.
    Result<AccessToken> reveal() const;
    TokenStatus status() const { return describe(facts()); }
    const std::string& library() const { return settings_.library; }
    // What a person has to correct before the canary can say anything; "" = nothing.
    const std::string& canary_fault() const { return canary_.fault(); }
    // The refresh token with that fingerprint is here: in force, kept, from a login, or on its way in.
    bool holds(const std::string& mark) const { return sets_.holds(mark); }
    // The fingerprint of the refresh token that is refreshed here; "" = none is.
    std::string renews() const;
    // That library holds the very same set: here it is never presented again. To be called before `run`.
    void stop_renewing_in_favour_of(const std::string& library);
    // Called after every change of the status.
    void set_observer(std::function<void()> changed) { observer_ = std::move(changed); }
    // The generation that the mirror has seen: a journal behind it is an old one that was restored.
    void record_mirror_generation(std::uint64_t generation);
    // The client secret may be another one now. True when a refresh waited for that: it is tried at once.
    bool read_secret_again();
    // A person asks for one more try, or the configuration was read again and says the same of this library: what stood
    // still is tried at once, for pauses and limits of ours, too.
    void try_again();
    // Waits until nothing is left that is due now. A refresh in the middle of work kills the token it is done with.
    asio::awaitable<void> wait_idle();
    // An orderly stop waits for these.
    bool exchange_in_flight() const { return machine_.is_exchanging() || intake_.login.is_redeeming(); }
    asio::awaitable<void> wait_exchange_done();
    // Once `run` has ended: journals that the next start would not find are written anew.
    asio::awaitable<void> repair_journals_at_exit() { return journals_.repair_at_exit(); }

private:
    using Action = RefreshDriver::Action;
    using Event = RefreshDriver::Event;
    using EventKind = RefreshDriver::EventKind;

    // Those who reported a 401 for one generation and wait for what becomes of it.
    struct RejectionRound {
        std::uint64_t generation = 0;
        bool says_expired = false;
        bool decided = false;
        Rejection outcome = Rejection::none;
    };
    // Something a person asked for; done by `run()` between two refreshes.
    struct Command {
        std::function<asio::awaitable<void>()> act;
        bool ended = false;
    };
    // What the journals lack, to be done first when `run()` runs.
    enum class Owed {
        nothing,
        landing,  // an exchange was open when they were read: what became of it
        verdict,  // the standing was decided before, and no journal says so
    };

    TokenKeeper(Settings settings, Services services, Store store);

    asio::awaitable<void> open_journals();
    asio::awaitable<void> open_again();
    asio::awaitable<void> tend_journals();
    void clear();
    void recover(Recovered known);
    StartFacts start_facts() const;
    bool is_copied() const { return journals_.health().is_copied() || sets_.is_behind_mirror(); }

    asio::awaitable<void> land_what_was_open();
    asio::awaitable<void> wake();
    asio::awaitable<void> rotate();
    asio::awaitable<void> idle(BootTime until);
    bool is_wanted() const;
    asio::awaitable<Rejection> drive(Event event);
    asio::awaitable<bool> serve_next();
    void decide_round(Rejection outcome);
    bool is_idle() const;
    void announce();
    void poke();
    void stopped();

    // token_keeper_orders.cpp: what a person asks for
    template <typename Value>
    asio::awaitable<Result<Value>> by_run(std::function<asio::awaitable<Result<Value>>()> act);
    asio::awaitable<bool> done_by_run(std::shared_ptr<Command> command);
    asio::awaitable<Result<ImportOutcome>> import_as(ImportedSet set, ImportOrder order);
    Error stopped_error() const;

    KeeperParts parts();
    TokenFacts facts() const;

    Settings settings_;
    Services services_;
    std::string places_;  // of both journals, for people
    Moments moments_;
    HeldSets sets_;
    RefreshMachine machine_;
    StandingRecord standing_;
    JournalTender journals_;
    CanaryAsker canary_;
    Exchange exchange_;
    Blockage blockage_;
    SetIntake intake_;
    RefreshDriver driver_;
    std::list<std::shared_ptr<Command>> commands_;
    std::shared_ptr<RejectionRound> round_;
    Owed owed_ = Owed::nothing;
    std::optional<BootTime> rest_until_;
    bool stopped_ = false;
    bool poked_ = false;  // something changed that the loop must look at
    AsyncEvent wanted_, changed_;
    std::function<void()> observer_;
};

}  // namespace shelfd::oauth

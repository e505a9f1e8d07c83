// Keeps exactly one usable token set for one library, even across crashes. Runs the refresh machine.
#pragma once

#include "oauth/intake/set_intake.hpp"
#include "oauth/keeper/refresh_driver.hpp"
#include "oauth/stored/recovery.hpp"
#include "runtime/async/async_event.hpp"

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>

namespace shelfd::oauth {

// Loop only; blocking calls run in lanes. Everything except `status`, `reveal` and an access token that is already
// usable needs `run()` to be running. `run()` must have ended before the keeper is destroyed.
class TokenKeeper {
public:
    using Settings = TokenKeeperSettings;
    using Services = TokenKeeperServices;
    using Permit = Services::Permit;

    // Opens and recovers the journals; sends nothing. Never fails: a library without a usable set is a state, and
    // journals that cannot be opened are tried again by `run`.
    static asio::awaitable<std::unique_ptr<TokenKeeper>> open(Settings settings, Services services, Store store);
    TokenKeeper(const TokenKeeper&) = delete;
    TokenKeeper& operator=(const TokenKeeper&) = delete;

    // Refreshes when due. Runs until cancelled; an INTENT and its result are always completed.
    asio::awaitable<void> run();

    // Returns an access token that works as far as is known. Waits for an exchange in progress and for a refresh that
    // is due. Errors: stopped, needs_person, or why there is none now (network, throttled, storage, config), with
    // retry_after if it is known.
    asio::awaitable<Result<AccessToken>> access();

    // Reports a 401 for the token of `generation`, and returns the token to try once more. The canary confirms the 401
    // first; many reports for one generation cause at most one exchange. Fails with kind refused and status 401 if the
    // canary accepts the token: only that resource is refused, and a retry is useless. If the canary accepts any token,
    // `refuser` is asked instead: the address that refused, if it accepted this generation before. Without one, or if
    // it accepts any token, too: fails with needs_person and `unconfirmed_refusal`. Other errors as `access`.
    asio::awaitable<Result<AccessToken>> reject(std::uint64_t generation, std::string www_authenticate,
                                                std::optional<CanarySpec> refuser = {});

    // Asks the canary with the present token. A 401 has no further effect; the caller decides whether to `reject`.
    asio::awaitable<Result<CanaryVerdict>> canary();
    // Asks another page with any token. `set_canary` makes such a page the canary.
    asio::awaitable<CanaryReading> ask_other(CanarySpec spec, Secret token);
    // Asks the canary with a token that was never issued.
    asio::awaitable<CanaryReading> ask_with_wrong_token();
    void set_canary(CanarySpec spec);

    // Accepts a set that a person provides, if it works for the right library. Errors say which set is in force.
    asio::awaitable<Result<ImportOutcome>> import(ImportedSet set, ImportMode mode,
                                                  Destroying destroying = Destroying::refused);
    // Redeems an authorization code. Its set replaces the present one once the canary has confirmed the library; until
    // then the answer stays in the journal, even across crashes. Errors as `import`.
    asio::awaitable<Result<ImportOutcome>> redeem(CodeGrant grant);
    // Marks the set as moved to `where` (for people, may be "") on both copies, then returns it. From then on it is
    // neither used nor refreshed here.
    asio::awaitable<Result<Secret>> move_out(std::string where);
    // Accepts a set from `move_out`: as `import` with sealing, for the same service and application only. A set whose
    // access token has expired is refreshed first, then identified.
    asio::awaitable<Result<ImportOutcome>> move_in(MovedSet moved);
    // Declares a copied or restored store to be the one in use, or takes back a set that was moved out.
    asio::awaitable<Result<void>> adopt();
    // Removes the set and wipes both journals.
    asio::awaitable<Result<void>> forget();
    // See SetHandover::revoke.
    asio::awaitable<Result<void>> revoke();
    // Returns the access token for a person's own scripts. Never refreshes; fails if none is usable.
    Result<AccessToken> reveal() const;
    TokenStatus status() const { return describe(facts()); }
    const std::string& library() const { return settings_.library; }
    // When the service was asked for the library of the set before it was accepted here, and named ours; nullopt = it
    // was not asked.
    std::optional<BootTime> identified_at() const { return sets_.identified_at(); }
    // What a person must correct before the canary can answer; "" = nothing.
    const std::string& canary_fault() const { return canary_.fault(); }
    // The user whose set it is, as the service said since the keeper was opened; "" = not yet, or it does not say it.
    const std::string& user() const { return sets_.user(); }
    // Why the page that should name the user does not; "" = it does, or is not to name one.
    const std::string& user_fault() const { return canary_.user_fault(); }
    // True if the refresh token with this fingerprint is here: present, kept, from a login, or being accepted.
    bool holds(const std::string& mark) const { return sets_.holds(mark); }
    // Fingerprint of the refresh token that is refreshed here; "" = none.
    std::string renews() const;
    // `library` has the same set, so it is never refreshed here. Call before `run`.
    void stop_renewing_in_favour_of(const std::string& library);
    // Sets a function that is called after each change of the status.
    void set_observer(std::function<void()> changed) { observer_ = std::move(changed); }
    // Records the generation in the mirror. A journal with an older one was restored.
    void record_mirror_generation(std::uint64_t generation);
    // The configuration was read again: the client secret may have changed, and a disk of a journal may be another one.
    // Returns true if a refresh waited for the secret; it is then tried at once.
    bool read_secret_again();
    // A person asks for another attempt, or a reload did not change this library: whatever waits is tried at once, even
    // during a pause or at a limit that shelfd sets itself.
    void try_again();
    // Waits until no exchange is due or in progress: a refresh during a pass would revoke the token that the pass uses.
    asio::awaitable<void> wait_idle();
    // An orderly stop waits until these are done.
    bool exchange_in_flight() const { return machine_.is_exchanging() || intake_.login.is_redeeming(); }
    asio::awaitable<void> wait_exchange_done();
    // Call after `run` has ended. Rewrites journals that the next start would not find.
    asio::awaitable<void> repair_journals_at_exit() { return journals_.repair_at_exit(); }

private:
    using Action = RefreshDriver::Action;
    using Event = RefreshDriver::Event;
    using EventKind = RefreshDriver::EventKind;

    // Callers that reported a 401 for one generation and wait for the outcome.
    struct RejectionRound {
        std::uint64_t generation = 0;
        bool says_expired = false;
        std::optional<CanarySpec> refuser;
        bool decided = false;
        Rejection outcome = Rejection::none;
    };
    // An order of a person, carried out by `run()` between two refreshes.
    struct Command {
        std::function<asio::awaitable<void>()> act;
        bool ended = false;
    };
    // What `run()` must do first, because the journals lack it.
    enum class Owed {
        nothing,
        landing,  // an exchange was open when they were read: handle its answer
        verdict,  // the standing was decided before `run()`, and is not in the journals
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

    // Orders of a person, in token_keeper_orders.cpp.
    template <typename Value>
    asio::awaitable<Result<Value>> by_run(std::function<asio::awaitable<Result<Value>>()> act);
    asio::awaitable<bool> done_by_run(std::shared_ptr<Command> command);
    asio::awaitable<bool> learn_user(AccessToken token);
    asio::awaitable<Result<ImportOutcome>> import_as(ImportedSet set, ImportOrder order);
    Error stopped_error() const;

    KeeperParts parts();
    TokenFacts facts() const;

    Settings settings_;
    Services services_;
    std::string places_;  // paths of both journals, for people
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
    bool poked_ = false;              // a change that the loop must handle
    std::uint64_t introspected_ = 0;  // generation of the newest set of which the service was asked whose it is
    AsyncEvent wanted_, changed_;
    std::function<void()> observer_;
};

}  // namespace shelfd::oauth

// Keeps exactly one usable token set for one library, whatever crashes: the driver of RefreshMachine.
#pragma once

#include "base/boxed.hpp"
#include "oauth/journal/journal_pair.hpp"
#include "oauth/journal/store.hpp"
#include "oauth/keeper/token_keeper_types.hpp"
#include "oauth/keeper/token_status.hpp"
#include "oauth/machine/refresh_machine.hpp"
#include "oauth/set/moved_set.hpp"
#include "oauth/set/pasted_set.hpp"
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
    void set_canary(CanarySpec spec) { settings_.canary = std::move(spec); }

    // Takes a set that a person gave, if it works and is of the right library; else nothing changes.
    asio::awaitable<Result<ImportOutcome>> import(ImportedSet set, ImportMode mode,
                                                  Destroying destroying = Destroying::refused);
    // Redeems an authorization code. The set it gives replaces the present one once the canary has said that it is of
    // the right library; until then the answer lies in the journal, whatever crashes. Errors as `import`.
    asio::awaitable<Result<ImportOutcome>> redeem(CodeGrant grant);
    // Gives the set away: marks it as moved to `where` (for people, may be "") on both copies, then tells it. Nothing
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
    TokenStatus status() const;
    const std::string& library() const { return settings_.library; }
    // What a person has to correct before the canary can tell anything; "" = nothing.
    const std::string& canary_fault() const { return canary_fault_; }
    // The refresh token with that fingerprint is here: in force, kept, from a login, or on its way in.
    bool holds(const std::string& mark) const;
    // The fingerprint of the refresh token that is refreshed here; "" = none is.
    std::string renews() const;
    // That library holds the very same set: here it is never presented again. To be called before `run`.
    void stop_renewing_in_favour_of(const std::string& library);
    // Called after every change of the status.
    void set_observer(std::function<void()> changed) { observer_ = std::move(changed); }
    // The generation that the mirror has seen: a journal behind it is an old one that was restored.
    void record_mirror_generation(std::uint64_t generation);
    // The client secret's file may hold another one now. True when a refresh waited for that: it is tried at once.
    bool read_secret_again();
    // A person asks for one more try, or the configuration was read again and says the same of this library: what stood
    // still is tried at once, for pauses and limits of ours, too.
    void try_again();
    // Waits until nothing is left that is due now. A refresh in the middle of work kills the token it is done with.
    asio::awaitable<void> wait_idle();
    // An orderly stop waits for these.
    bool exchange_in_flight() const { return machine_.is_exchanging() || is_redeeming_; }
    asio::awaitable<void> wait_exchange_done();
    // Once `run` has ended: journals that the next start would not find are written anew.
    asio::awaitable<void> repair_journals_at_exit();

private:
    using Machine = RefreshMachine;
    using Action = RefreshMachine::Action;
    using Event = RefreshMachine::Event;
    using EventKind = RefreshMachine::EventKind;

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
    // The bytes of an answer as they come.
    struct IncomingAnswer {
        std::string body;
        int status = 0;
        bool complete = false;
        Duration retry_after{0};
        std::optional<BootTime> last_byte;  // nothing came without it
        void wipe();
    };

    TokenKeeper(Settings settings, Services services, Store store);

    // token_keeper.cpp: the loop
    asio::awaitable<void> land_what_was_open();
    asio::awaitable<void> wake();
    asio::awaitable<void> idle(BootTime until);
    bool is_wanted() const;
    asio::awaitable<Action> drive(Action action);
    asio::awaitable<Action> drive_shielded(Action action);
    asio::awaitable<bool> serve_next();
    void decide_round(Rejection outcome);
    bool is_idle() const;
    void announce();
    void poke();
    void stopped();

    // token_keeper_journals.cpp: the journals as they come and go
    asio::awaitable<void> run_on_disk(std::function<void()> work);
    asio::awaitable<void> open_journals();
    asio::awaitable<void> open_again();
    asio::awaitable<void> tend_journals();
    void close_journals(std::string why);
    std::string older_half_text(std::uint64_t generation) const;
    BootTime tending_time() const;
    asio::awaitable<void> check_for_journals();
    asio::awaitable<void> mend();
    bool wants_mending() const;
    bool is_half_read() const;
    void warn_of(const Written& written);

    // token_keeper_recovery.cpp: from what the journal says to where the machine begins
    void recover(Recovered known);
    Machine::Start start_of(const TokenSet& set) const;
    Holding holding_of(const TokenSet& set) const;
    Doubt doubt_of(const Note& note) const;
    BootTime boot_of(const Moment& moment) const;
    BootTime ahead_of(const Moment& moment) const;
    Moment moment_of(BootTime at) const;
    Moment now() const;
    Note note_of(const Doubt& doubt, Standing standing) const;
    std::optional<Note> owed_note() const;
    void hold(TokenSet set);
    bool is_copied() const;
    std::string environment_fault(const TokenSet& set) const;
    CanarySpec canary_spec() const;
    Id new_id() const;

    // token_keeper_actions.cpp: one function for each action of the machine
    asio::awaitable<Event> perform(Action action);
    asio::awaitable<Event> reread();
    asio::awaitable<Result<Secret>> read_secret();
    asio::awaitable<Event> probe_disk();
    asio::awaitable<Event> write_intent();
    asio::awaitable<Event> commit(Action action);
    asio::awaitable<Event> write_verdict();
    TokenSet next_set(Machine::ActionKind kind) const;
    Event make_event(EventKind kind) const;
    void log_verdict();

    // token_keeper_exchange.cpp: the POST and its answer
    enum class Sending { ended, not_sent };
    asio::awaitable<Event> exchange();
    asio::awaitable<Sending> send_landing(http::Request request);
    asio::awaitable<Event> finish_exchange();
    asio::awaitable<ClassifiedAnswer> close_answer();
    Event landed_event() const;
    Duration lifetime_of(const TokenAnswer& answer) const;
    void keep_survivor();

    // token_keeper_canary.cpp: asking who we are
    asio::awaitable<Event> ask_canary(Machine::ActionKind kind);
    asio::awaitable<CanaryReading> read_canary_with(std::optional<Secret> token);
    asio::awaitable<Result<http::Response>> send_canary(const CanarySpec& spec, std::optional<Secret> token);
    void record_identity(const CanaryReading& reading);
    BootTime ask_again_at(const CanaryReading& reading);
    void record_clock(std::string trouble);

    // token_keeper_orders.cpp: what a person asks for, and who does it
    struct ImportOrder {
        ImportMode mode = ImportMode::seal;
        Destroying destroying = Destroying::refused;
        std::optional<Provenance> moved = {};  // from another machine, and what its document says
    };
    template <typename Value>
    asio::awaitable<Result<Value>> by_run(std::function<asio::awaitable<Result<Value>>()> act);
    asio::awaitable<bool> done_by_run(std::shared_ptr<Command> command);
    asio::awaitable<Result<ImportOutcome>> import_as(ImportedSet set, ImportOrder order);
    Error stopped_error() const;

    // token_keeper_import.cpp: another set, or none
    asio::awaitable<Result<ImportOutcome>> run_import(ImportedSet set, ImportOrder order);
    std::optional<Error> refuse_shared(const Secret& refresh) const;
    std::optional<Error> refuse_import(const ImportedSet& set, const ImportOrder& order) const;
    TokenSet imported_set(ImportedSet set, ImportMode mode) const;
    asio::awaitable<std::optional<Introspection>> introspect(const Secret& access);
    asio::awaitable<std::optional<Error>> learn_about(ImportedSet& set, ImportMode mode);
    Result<ImportOutcome> import_outcome(ImportMode mode, const Secret& given) const;
    std::string import_text(ImportMode mode, const ImportOutcome& outcome) const;
    asio::awaitable<Result<void>> run_forget();

    // token_keeper_replace.cpp: one set takes the place of another
    asio::awaitable<std::string> replace_set_shielded(TokenSet next, std::optional<TokenSet> kept);
    asio::awaitable<std::string> replace_set(TokenSet next, std::optional<TokenSet> kept);
    std::optional<TokenSet> keep_for(TokenSet& next) const;
    bool is_unproven() const { return set_ && set_->origin == Origin::unproven; }
    asio::awaitable<Result<ImportOutcome>> refresh_untried(ImportMode mode, const Secret& given);
    asio::awaitable<std::optional<Error>> prove_set();
    asio::awaitable<std::optional<BootTime>> prove_set_when_due();
    asio::awaitable<std::optional<Error>> drop_unproven(const CanaryReading& reading);
    std::optional<Error> refuse_change() const;
    asio::awaitable<Result<void>> run_adopt();
    asio::awaitable<void> record_standing();

    // token_keeper_login.cpp: a set from an authorization code
    asio::awaitable<Result<ImportOutcome>> run_login(CodeGrant grant);
    asio::awaitable<std::optional<Error>> exchange_code(CodeGrant grant, Secret client_secret);
    asio::awaitable<std::string> prepare_for_code();
    std::optional<Error> handle_code_answer(ClassifiedAnswer answer, Moment sent);
    asio::awaitable<Result<ImportOutcome>> settle_login();
    asio::awaitable<Result<ImportOutcome>> accept_candidate(const CanaryReading& reading);
    std::string candidate_fault() const;
    asio::awaitable<void> close_login();
    asio::awaitable<bool> settle_login_when_due();
    void recover_login(const Note& note, const std::optional<RawAnswer>& raw);
    Note standing_note() const;

    // token_keeper_move.cpp: to and from another machine
    bool is_moved_out() const;
    std::optional<Error> refuse_move_out() const;
    std::optional<Error> refuse_untried(const Provenance& from) const;
    asio::awaitable<Result<Secret>> run_move_out(std::string where);

    // token_keeper_status.cpp: what is so
    TokenState state() const;
    bool is_blocked() const;
    void record_blockage();

    // token_keeper_sentences.cpp: how people are told
    void describe(TokenStatus& status) const;
    void describe_journals(TokenStatus& status) const;
    void describe_loss(TokenStatus& status) const;
    void describe_blockage(TokenStatus& status) const;
    void describe_doubt(TokenStatus& status) const;
    void describe_waiting(TokenStatus& status) const;
    void warn_of_one_copy(TokenStatus& status) const;
    void describe_candidate(TokenStatus& status) const;
    Error why_not() const;
    AccessToken present() const { return {access_, set_ ? set_->generation : 0}; }

    Settings settings_;
    Services services_;
    Store store_;
    JournalPair pair_;
    RefreshMachine machine_;

    std::optional<TokenSet> set_;
    Boxed<TokenSet> kept_;                  // the older set, until `set_` is proven
    Boxed<TokenSet> candidate_;             // what a login gave, until the canary says whose it is
    std::shared_ptr<const Secret> access_;  // of `set_`, shared with requests under way
    Secret old_access_;                     // the one before, for measuring its death
    Secret client_secret_;                  // while an exchange is prepared and sent
    Permit exchange_permit_;
    IncomingAnswer arriving_;
    ClassifiedAnswer landed_;
    Boxed<TokenAnswer> survivor_;    // the access token of an answer whose refresh token did not arrive
    std::string barred_;             // why the journal must not be touched
    std::string unread_;             // a copy of it that could not be opened yet, and why; "" = both were read
    std::string damaged_;            // why there may have been a set that nobody can read
    std::string environment_fault_;  // the set belongs to another service or application
    std::string copied_;             // evidence that the store was copied or restored
    std::string storage_trouble_;    // of a copy of the journal; "" = both are good
    std::string clock_trouble_;      // of this machine's clock; "" = none known
    std::string pinned_library_;     // who the service said we are, where the configuration does not say it
    std::string wrong_library_;      // what the canary said last, when it named another library
    std::string incoming_;           // fingerprint of a refresh token that is being taken in; "" = none is
    std::string trouble_;            // the newest thing that went wrong, one sentence
    std::string reason_;             // of the machine's standing
    Standing noted_standing_ = Standing::good;
    Instant standing_since_;
    Instant newest_written_;  // wall time of the newest record: the wall clock cannot be before it
    std::uint64_t mirror_generation_ = 0;
    ExchangeTally exchanges_;
    std::optional<Duration> last_landing_;  // from the last byte of an answer until it was durable
    std::optional<BootTime> rest_until_;
    std::list<std::shared_ptr<Command>> commands_;
    std::shared_ptr<RejectionRound> round_;
    bool stopped_ = false;
    bool poked_ = false;                    // something changed that the loop must look at
    bool secret_is_new_ = false;            // and what is under way may have read the one before
    bool must_land_ = false;                // an exchange was open when the journal was read
    bool must_note_ = false;                // the standing was decided before `run`, and no journal says so
    bool is_closed_ = true;                 // the journals could not be opened; `barred_` says why
    std::optional<Instant> blocked_since_;  // as it was told last
    std::optional<BootTime> unreachable_since_;
    std::string canary_fault_;
    int copies_ = 0;                // that hold the newest set
    std::uint32_t tend_tries_ = 0;  // failures in a row to open or to mend
    BootTime tend_due_;             // the next try
    BootTime look_due_;             // when the journals' files are looked for again
    std::string told_trouble_;      // of a copy, as it was logged last
    bool is_redeeming_ = false;     // an authorization code is on its way
    bool login_is_open_ = false;    // the newest note is an INTENT for a code
    BootTime asking_due_;           // when the canary is asked again about `candidate_`, or about an unproven set
    std::uint32_t asked_ = 0;       // so often, without an answer
    std::string told_waiting_;      // why they wait, as it was logged last
    AsyncEvent wanted_, changed_;
    std::function<void()> observer_;
};

}  // namespace shelfd::oauth

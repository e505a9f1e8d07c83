// Decides what to do with one library's token set, next and next: no I/O, no clock, no log.
#pragma once

#include "base/instant.hpp"
#include "oauth/endpoint/answer_class.hpp"
#include "oauth/endpoint/canary_answer.hpp"
#include "oauth/endpoint/haste.hpp"
#include "oauth/set/token_set.hpp"

#include <cstdint>
#include <optional>

namespace shelfd::oauth {

// For a moment that nobody knows, or that does not matter any more.
inline constexpr BootTime long_ago = BootTime::from_micros(INT64_MIN / 2);

// The set as far as decisions need it; times are of the present boot, negative ones lie before it.
struct Holding {
    std::uint64_t generation = 0;  // 0 = no set was ever here
    bool access = false;
    bool refresh = false;
    bool to_seal = false;  // given by a person, to be rotated as soon as possible
    BootTime issued;
    Duration lifetime{};
    bool has_kept = false;  // an older set waits until this one is proven
};

// An exchange whose outcome is not known.
struct Doubt {
    bool open = false;
    bool old_token_was_alive =
        false;               // the access token was alive when it was first sent, so that its death later is a sign
    bool committed = false;  // the oracle has said that the service rotated
    bool throttled = false;  // it came from a 429, which is no doubt once the oracle says that the token is alive
    bool alive = false;      // the oracle has said, after the newest sending, that it had not rotated by then
    std::uint32_t replays = 0;
    std::uint32_t server_errors = 0;  // in a row
    std::uint32_t refusals = 0;       // without an OAuth error, in a row
    std::uint32_t unreadable = 0;     // whole answers, in a row, that no set can be read from
    BootTime since;
    BootTime last_sent;
};

// Why nothing happens now; status and errors make sentences of it.
enum class Why {
    nothing,        // all is well: the next refresh has its time
    unreachable,    // the canary got no answer of the service
    throttled,      // the service asks to wait
    secret,         // the client secret cannot be read
    storage,        // too few copies of the journal can be written
    not_sent,       // the connection for the refresh could not be made
    hurried,        // refreshed for a 401 just now; the next one for such a reason must wait
    too_many,       // the day's refreshes are used up, or those of the next hours
    no_access,      // the set came without a usable access token; the next refresh must wait
    turn,           // the refresh of another library is slow, and this one has time
    doubt,          // an exchange is in doubt and its next step has its time
    configuration,  // the service refuses our client
    person,         // only a person can help
    copied,         // the store looks copied or restored; it must be adopted first
    canary_unfit,   // the canary accepts any token, so a 401 elsewhere cannot be confirmed
};

// What becomes of those who reported a 401 for the present generation.
enum class Rejection {
    none,     // nothing was decided: they may ask again later
    refused,  // the canary accepts the token: that one resource is refused
};

// Transitions; g = generation, n = attempt. tests/oauth/machine/refresh_table_test.cpp compares them with the machine.
//
// | state      | event                       | when                                   | next       | action         |
// |------------|-----------------------------|----------------------------------------|------------|----------------|
// | resting    | woke                        | a refresh is allowed                   | proving    | ask_canary     |
// | resting    | rejected                    | there is an access token               | proving    | ask_canary     |
// | resting    | rejected                    | a replay was refused, its pause lasts  | resting    | rest           |
// | resting    | seal                        | a refresh is allowed                   | preparing  | probe_disk     |
// | resting    | woke, seal                  | else                                   | resting    | rest           |
// | proving    | canary unreachable …        |                                        | resting    | rest           |
// | proving    | canary, after woke          | path proven                            | preparing  | probe_disk     |
// | proving    | canary accepts              | canary never tried with a wrong token  | fitting    | ask_wrong_token|
// | proving    | canary accepts (rejected)   | canary is fit                          | resting    | rest (refused) |
// | proving    | canary accepts (rejected)   | canary is not fit, token not expired   | resting    | rest (refused) |
// | proving    | canary accepts (rejected)   | canary is not fit, token expired       | preparing  | probe_disk     |
// | proving    | canary accepts (rejected)   | the same, and no refresh is allowed    | resting    | rest           |
// | proving    | canary refuses as invalid   | our record lives, no doubt             | comparing  | reread         |
// | proving    | canary refuses              | else, and the pace allows it           | preparing  | probe_disk     |
// | proving    | canary refuses, in doubt    | oracle holds: the service rotated      | preparing  | probe_disk     |
// | proving    | canary accepts, in doubt    | oracle holds, gateway time not over    | resting    | rest           |
// | proving    | canary accepts, in doubt    | oracle holds, gateway time over        | preparing  | probe_disk     |
// | proving    | canary proves path, doubt   | no oracle, the replay's time has come  | preparing  | probe_disk     |
// | proving    | canary unreachable, doubt   | first replay, asked twice, not alive   | preparing  | probe_disk     |
// | proving    | canary accepts, in doubt    | of a 429, oracle holds: no doubt       | resting    | rest           |
// | fitting    | canary unreachable …        | after rejected                         | resting    | rest           |
// | fitting    | canary                      | decided as in proving, now knowing it  | resting    | rest           |
// | fitting    | canary                      | likewise                               | preparing  | probe_disk     |
// | comparing  | compared, suspicion         | evidence of a copy or a restore        | judging    | write_verdict  |
// | comparing  | compared, suspicion         | none                                   | preparing  | probe_disk     |
// | comparing  | compared                    | a copy knew a newer set                | resting    | rest           |
// | comparing  | compared, denied            | an older set is kept                   | committing | restore_kept   |
// | comparing  | compared, denied            | else                                   | judging    | write_verdict  |
// | preparing  | disk                        | enough copies took the probe           | intending  | write_intent   |
// | preparing  | disk                        | too few                                | resting    | rest           |
// | preparing  | no_secret, no_turn          |                                        | resting    | rest           |
// | intending  | written                     | on one copy at least                   | exchanging | exchange       |
// | intending  | written                     | on none                                | resting    | rest           |
// | exchanging | not_sent                    |                                        | judging    | write_verdict  |
// | exchanging | ended                       |                                        | landing    | land           |
// | landing    | landed                      | granted, salvaged                      | committing | commit         |
// | landing    | landed                      | denied                                 | comparing  | reread         |
// | landing    | landed                      | anything else                          | judging    | write_verdict  |
// | committing | committed                   | on one copy at least                   | resting    | rest           |
// | committing | committed                   | the old token's death is not known yet | measuring  | ask_old_token  |
// | committing | committed                   | on none                                | committing | commit (later) |
// | committing | committed                   | likewise, of a rest of an answer       | committing | commit_rest    |
// | committing | committed                   | likewise, of the older set             | committing | restore_kept   |
// | committing | unstorable                  |                                        | judging    | write_verdict  |
// | judging    | written                     | in doubt, oracle holds                 | proving    | ask_canary     |
// | judging    | written                     | lost, an access token survived         | committing | commit_rest    |
// | judging    | written                     | else                                   | resting    | rest           |
// | measuring  | canary                      |                                        | resting    | rest           |
class RefreshMachine {
public:
    enum class State {
        resting,     // nothing is under way; an alarm may be set
        proving,     // the canary is asked with the present access token
        fitting,     // the canary is asked with a wrong token
        comparing,   // both copies are read again, and what else knows about the set is asked
        preparing,   // the slot for the answer takes its probe write
        intending,   // INTENT(g, n) is being made durable
        exchanging,  // the POST is under way; what arrives lands in RAW
        landing,     // RAW is being closed and made durable, then read
        committing,  // TOKEN g+1 is being made durable; the set exists in memory and in RAW
        judging,     // a VERDICT is being written
        measuring,   // the canary is asked with the old access token, to learn whether a rotation kills it
    };

    enum class EventKind {
        woke,        // the alarm of the last rest went off
        rejected,    // somebody got a 401 with the present access token
        seal,        // a person gave a set, it is proven: rotate it now
        canary,      // `canary` holds what it said
        compared,    // `newer`, `evidence` hold what was found
        disk,        // `copies` took the probe
        no_secret,   // the client secret cannot be read, so nothing can be sent
        no_turn,     // other exchanges with the service are under way, and this one can wait
        written,     // `copies` took the record
        not_sent,    // no byte of the request left
        ended,       // the exchange is over, one way or the other
        landed,      // `answer` says what came; `access_survived`, `retry_after`, `rotated` say more of it
        committed,   // `copies` took the set that `holding` describes
        unstorable,  // no record can hold the set; `access_survived`: its access token may fit alone
    };
    struct Event {
        EventKind kind = EventKind::woke;
        BootTime now;
        CanaryAnswer canary = CanaryAnswer::unreachable;
        bool says_expired = false;     // rejected: the 401 itself says that the token has expired
        std::optional<Holding> newer;  // compared
        bool evidence = false;         // compared: a copied or restored store
        int copies = 0;                // disk, written, committed
        AnswerClass answer = AnswerClass::unclear;
        Ambiguity ambiguity = Ambiguity::no_answer;  // landed
        bool access_survived = false;                // landed, unstorable: an access token of the lost answer is whole
        Duration retry_after{0};
        Holding holding;      // committed
        bool rotated = true;  // landed: the answer holds a new refresh token
    };

    enum class ActionKind {
        rest,             // wait until `until` or until somebody wants something
        ask_canary,       // with the present access token, or with none when there is none
        ask_wrong_token,  // the canary, with a token that nobody ever issued
        ask_old_token,    // the canary, with the access token before the present one
        reread,           // read both copies again; ask the mirror and the machine id for evidence
        probe_disk,       // RAW for (g, attempt): open header and zeros, synced
        write_intent,     // INTENT(g, attempt)
        exchange,         // send the POST, once; put what arrives into RAW
        land,             // close RAW, sync, read the answer
        commit,           // at `until`: what the answer gave becomes TOKEN g+1
        commit_rest,      // the surviving access token becomes TOKEN g+1, without a refresh token
        restore_kept,     // the older set becomes TOKEN g+1
        write_verdict,    // VERDICT(g, attempt) with the present standing
    };
    struct Action {
        ActionKind kind = ActionKind::rest;
        std::optional<BootTime> until;
        Rejection rejection = Rejection::none;
    };

    // What limits the rate of refreshes; see Pace.
    struct Rate {
        BootTime day_start;
        std::uint32_t day_count = 0;
        std::uint32_t hurried = 0;
    };
    // Where to begin, as the journal says.
    struct Start {
        Holding holding;
        Standing standing = Standing::good;
        Doubt doubt;
        Learned learned;
        std::uint32_t attempt = 0;
        Rate rate;
        BootTime told_to_wait;  // the service asked for it; far in the past: it did not
        BootTime last_sent = long_ago;
        bool copied = false;
        bool access_survived = false;
        double random = 0.5;  // in [0, 1): moves the half-life by up to a twentieth of the lifetime to either side
    };

    RefreshMachine() = default;
    explicit RefreshMachine(const Start& start) { begin(start); }

    // Forgets everything and begins anew: at adoption, import, forgetting.
    void begin(const Start& start);
    // The same for a set with an open INTENT, whose doubt `start` describes: a `landed` event comes next.
    enum class Earlier { none, doubt };
    void begin_landing(const Start& start, Earlier earlier);
    // The rest that the machine is in now.
    Action rest_now() const;
    // A person asks for one more try: what waits for a pause or a limit of ours is tried at once. Of what the
    // service asked to wait, a minute at most is waited all the same, and a gateway's time where a replay may be too
    // early.
    void ask_once_more(BootTime now);
    // The client secret may be another one now: what was refused for it, or could not read it, is tried at once. False
    // when nothing waits for that.
    bool secret_changed(BootTime now);
    void set_copied();
    // The driver was stopped before anything was sent: back to rest.
    void give_up();

    Action resume(const Event& event);

    State state() const { return state_; }
    Standing standing() const { return standing_; }
    Why why() const { return why_; }
    const Holding& holding() const { return holding_; }
    const Doubt& doubt() const { return doubt_; }
    // What the doubt will be if the attempt under way gets no answer: for the INTENT.
    const Doubt& pending_doubt() const { return pending_; }
    const Learned& learned() const { return learned_; }
    std::uint32_t attempt() const { return attempt_; }
    const Rate& rate() const { return rate_; }
    BootTime told_to_wait() const { return told_to_wait_; }
    bool is_copied() const { return copied_; }
    bool access_is_dead() const { return access_dead_; }
    std::uint32_t failed_commits() const { return failed_commits_; }
    // Whether a refresh may ever happen without a person.
    bool can_refresh() const;
    // Between the intent and its record: nothing may interrupt this.
    bool is_exchanging() const;
    // The access token may be used: it is there, nobody refused it, and its time is not over.
    bool access_is_usable(BootTime now) const;
    BootTime expires() const { return holding_.issued + holding_.lifetime; }
    // A person should look, too: at a 5xx for a day, a doubt that outlives the access token by a day, an answer that
    // nobody can read, refusals that go on, sets that keep coming without an access token.
    bool needs_look(BootTime now) const;
    // How soon the exchange that is being prepared must be sent.
    Haste haste(BootTime now) const;

private:
    enum class Cause { timer, rejection, seal, doubt };
    enum class Purpose { suspicion, denial };

    Action from_resting(const Event& event);
    Action from_proving(CanaryAnswer answer);
    Action from_fitting(CanaryAnswer answer);
    Action from_comparing(const Event& event);
    Action from_preparing(const Event& event);
    Action from_intending(int copies);
    Action from_exchanging(EventKind kind);
    Action from_landing(const Event& event);
    Action from_committing(const Event& event);
    Action from_judging();
    Action from_measuring(CanaryAnswer answer);

    Action decide_timer(CanaryAnswer answer);
    Action decide_rejection(CanaryAnswer answer);
    Action decide_doubt(CanaryAnswer answer);
    Action decide_unasked_doubt(CanaryAnswer answer);
    Action handle_throttling(const Event& event);
    Action confirmed(CanaryAnswer answer);
    std::optional<Action> keep_back();

    Action go(State next, ActionKind kind);
    Action rest(Why why, Rejection rejection = Rejection::none);
    Action not_now(Why why);
    Action wait_for(Duration pause, Why why);
    Action prepare();
    Action handle_answer(const Event& event);
    Action commit(ActionKind kind);
    Action judge(Standing standing, Why why);
    void count_refresh();
    void record_wait(Duration asked);
    static Duration replay_pause(std::uint32_t replays);
    BootTime replay_due() const;
    Action replay_at(BootTime due);
    Duration pause_until_sent();
    bool waits_for_first_replay() const;
    bool old_token_tells(BootTime now) const;
    bool oracle_holds() const { return doubt_.open && doubt_.old_token_was_alive && old_token_tells(now_); }
    BootTime hurry_over() const;
    std::optional<BootTime> full_until() const;
    Action day_is_full(BootTime until);
    std::optional<BootTime> wake_time() const;
    void take(const Holding& holding);

    State state_ = State::resting;
    Standing standing_ = Standing::good;
    Why why_ = Why::nothing;
    Cause cause_ = Cause::timer;
    Purpose purpose_ = Purpose::suspicion;
    Holding holding_;
    Doubt doubt_;
    Doubt pending_;
    ActionKind commit_kind_ = ActionKind::commit;
    Learned learned_;
    BootTime now_;
    BootTime not_before_;
    Rate rate_;
    std::uint32_t attempt_ = 0;
    std::uint32_t tries_ = 0;  // failures in a row before anything was sent
    std::uint32_t failed_commits_ = 0;
    BootTime told_to_wait_;  // by the token endpoint
    BootTime last_sent_ = long_ago;
    bool once_more_ = false;  // a person has asked for a try
    double random_ = 0.5;
    bool copied_ = false;
    bool access_dead_ = false;      // the canary refused it
    bool says_expired_ = false;     // so said the 401 that was reported
    bool access_survived_ = false;  // of a lost answer
};

const char* to_string(RefreshMachine::State state);
const char* to_string(CanaryAnswer answer);

}  // namespace shelfd::oauth

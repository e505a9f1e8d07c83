// Decides what to do with one library's token set, step by step. No I/O, no clock, no log.
#pragma once

#include "base/instant.hpp"
#include "oauth/endpoint/answer_class.hpp"
#include "oauth/endpoint/canary_answer.hpp"
#include "oauth/endpoint/haste.hpp"
#include "oauth/machine/why.hpp"
#include "oauth/set/token_set.hpp"

#include <cstdint>
#include <optional>

namespace shelfd::oauth {

// A time that is unknown, or does not matter any more.
inline constexpr BootTime long_ago = BootTime::from_micros(INT64_MIN / 2);

// The properties of the set that decisions need. Times are of the present boot; negative ones are before it.
struct Holding {
    std::uint64_t generation = 0;  // 0 = there never was a set
    bool access = false;
    bool refresh = false;
    bool to_seal = false;  // provided by a person, to be rotated as soon as possible
    BootTime issued;
    Duration lifetime{};
    bool has_kept = false;  // an older set is kept until this one is proven
};

// An exchange whose outcome is ambiguous. The commit oracle is the canary, asked with the old access token: if
// rotations revoke that token, a 401 shows that the service rotated.
struct Doubt {
    bool open = false;
    bool old_token_was_alive = false;  // when first sent; if not, its death later shows nothing
    bool committed = false;            // the oracle reported that the service rotated
    bool throttled = false;            // caused by a 429; resolved if the oracle reports the token alive
    bool alive = false;                // after the last sending, the oracle reported no rotation up to then
    std::uint32_t replays = 0;
    std::uint32_t server_errors = 0;  // consecutive
    std::uint32_t refusals = 0;       // without an OAuth error, consecutive
    std::uint32_t unreadable = 0;     // whole answers without a readable set, consecutive
    bool has_unread_set = false;      // the last of these named tokens
    BootTime since;
    BootTime last_sent;
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
// | proving    | canary accepts              | no wrong token tried, or not lately (*)| fitting    | ask_wrong_token|
// | proving    | canary accepts (rejected)   | canary is fit                          | resting    | rest (refused) |
// | proving    | canary accepts (rejected)   | not fit, not expired, another tells    | consulting | ask_refuser    |
// | proving    | canary accepts (rejected)   | not fit, not expired, no other tells   | resting    | rest           |
// | proving    | canary accepts (rejected)   | canary is not fit, token expired       | preparing  | probe_disk     |
// | proving    | canary accepts (rejected)   | the same, and no refresh is allowed    | resting    | rest           |
// | proving    | canary refuses as invalid   | our record lives, no doubt             | comparing  | reread         |
// | proving    | canary refuses              | else, and the pace allows it           | preparing  | probe_disk     |
// | proving    | canary refuses, in doubt    | oracle holds: the service rotated      | preparing  | probe_disk     |
// | proving    | canary refuses, in doubt    | the set is in an answer not understood | resting    | rest           |
// | proving    | canary accepts, in doubt    | oracle holds, gateway time not over    | resting    | rest           |
// | proving    | canary accepts, in doubt    | oracle holds, gateway time over        | preparing  | probe_disk     |
// | proving    | canary proves path, doubt   | no oracle, the replay's time has come  | preparing  | probe_disk     |
// | proving    | canary unreachable, doubt   | first replay, asked twice, not alive   | preparing  | probe_disk     |
// | proving    | canary accepts, in doubt    | of a 429, oracle holds: no doubt       | resting    | rest           |
// | fitting    | canary unreachable …        | after rejected                         | resting    | rest           |
// | fitting    | canary                      | decided as in proving, now knowing it  | resting    | rest           |
// | fitting    | canary                      | likewise                               | preparing  | probe_disk     |
// | fitting    | canary                      | likewise                               | consulting | ask_refuser    |
// | consulting | canary refuses              | as in proving                          | comparing  | reread         |
// | consulting | canary refuses              | else, and the pace allows it           | preparing  | probe_disk     |
// | consulting | canary                      | else                                   | resting    | rest           |
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
//
// (*) After a rejection, what was learned of a page counts for an hour: the service may have made it public.
class RefreshMachine {
public:
    enum class State {
        resting,     // nothing in progress; an alarm may be set
        proving,     // the canary is asked with the present access token
        fitting,     // the canary is asked with a wrong token
        consulting,  // in place of an unfit canary, the address that refused the token is asked
        comparing,   // both copies are read again, and evidence of a copied store is sought
        preparing,   // the slot for the answer is written as a probe
        intending,   // INTENT(g, n) is being made durable
        exchanging,  // the POST is in progress; its answer goes to RAW
        landing,     // RAW is made durable and closed, then read
        committing,  // TOKEN g+1 is being made durable; the set exists in memory and in RAW
        judging,     // a VERDICT is being written
        measuring,   // the canary is asked with the old access token, to learn whether a rotation revokes it
    };

    enum class EventKind {
        woke,        // the alarm of the last rest expired
        rejected,    // a request with the present access token got a 401
        seal,        // rotate the present set now: a person provided it
        canary,      // the canary answered: `canary`
        compared,    // the copies were read: `newer`, `evidence`
        disk,        // `copies` took the probe
        no_secret,   // the client secret cannot be read, so nothing can be sent
        no_turn,     // other exchanges with the service are in progress, and this one can wait
        written,     // `copies` took the record
        not_sent,    // no byte of the request was sent
        ended,       // the exchange ended, with or without an answer
        landed,      // the answer was read: `answer`, `ambiguity`, `access_survived`, `retry_after`, `rotated`
        committed,   // `copies` took the set that `holding` describes
        unstorable,  // no record can hold the set; with `access_survived` its access token may fit alone
    };
    struct Event {
        EventKind kind = EventKind::woke;
        BootTime now;
        CanaryAnswer canary = CanaryAnswer::unreachable;
        bool says_expired = false;     // rejected: the 401 says that the token has expired
        bool has_refuser = false;      // rejected: the address that refused accepted this generation before
        std::optional<Holding> newer;  // compared
        bool evidence = false;         // compared: the store was copied or restored
        int copies = 0;                // disk, written, committed
        AnswerClass answer = AnswerClass::unclear;
        Ambiguity ambiguity = Ambiguity::no_answer;  // landed
        bool access_survived = false;                // landed, unstorable: the lost answer has a whole access token
        Duration retry_after{0};
        Holding holding;      // committed
        bool rotated = true;  // landed: the answer has a new refresh token
    };

    enum class ActionKind {
        rest,             // wait until `until`, or until somebody requests something
        ask_canary,       // with the present access token; without a token if there is none
        ask_wrong_token,  // the canary, with a token that was never issued
        ask_refuser,      // the address that refused, with such a token, and then with the present access token
        ask_old_token,    // the canary, with the previous access token
        reread,           // read both copies again, and collect evidence of a copied store
        probe_disk,       // RAW for (g, attempt): write open header and zeros, sync
        write_intent,     // INTENT(g, attempt)
        exchange,         // send the POST, once; write the answer to RAW
        land,             // close RAW, sync, read the answer
        commit,           // at `until`: the set of the answer becomes TOKEN g+1
        commit_rest,      // the surviving access token becomes TOKEN g+1, without a refresh token
        restore_kept,     // the older set becomes TOKEN g+1
        write_verdict,    // VERDICT(g, attempt) with the present standing
    };
    struct Action {
        ActionKind kind = ActionKind::rest;
        std::optional<BootTime> until;
        Rejection rejection = Rejection::none;
    };

    // What limits the rate of refreshes; see refresh_machine_pace.cpp.
    struct Rate {
        BootTime day_start;
        std::uint32_t day_count = 0;
        std::uint32_t hurried = 0;

        // Counts exchanges of which the last began `at`; another day begins with it if that one is over.
        void count(BootTime at, std::uint32_t exchanges);
    };
    // The initial state, from the journals.
    struct Start {
        Holding holding;
        Standing standing = Standing::good;
        Doubt doubt;
        Learned learned;
        BootTime canary_tried_at = long_ago;  // when `canary_refuses` was last seen to be so
        std::uint32_t attempt = 0;
        Rate rate;
        BootTime told_to_wait;  // until when the service asked to wait; in the past = it did not
        BootTime last_sent = long_ago;
        bool copied = false;
        bool access_survived = false;
        double random = 0.5;  // in [0, 1): moves the refresh at half of the lifetime by up to a twentieth of it
    };

    RefreshMachine() = default;
    explicit RefreshMachine(const Start& start) { begin(start); }

    // Resets the machine: at a start, adoption, import and forgetting.
    void begin(const Start& start);
    // The same for a set with an open INTENT, whose ambiguous exchange is `start.doubt`. The next event must be
    // `landed`.
    enum class Earlier { none, doubt };
    void begin_landing(const Start& start, Earlier earlier);
    // Returns the action of the present rest.
    Action rest_now() const;
    // A person asks for one more attempt: our own pauses and limits end now. Of a wait that the service asked for, at
    // most a minute remains. A replay that may be too early still waits for the gateway time. While the token works,
    // this counts for a minute, because the caller may be the first whose token is refused.
    void ask_once_more(BootTime now);
    // The client secret may have changed: what was refused for it, or failed to read it, is tried at once. Returns
    // false if nothing waits for that.
    bool secret_changed(BootTime now);
    void set_copied();
    // What was learned of the canary does not apply to the present one.
    void forget_canary();
    // The driver was stopped before it sent anything: returns to rest.
    void give_up();

    Action resume(const Event& event);

    State state() const { return state_; }
    Standing standing() const { return standing_; }
    Why why() const { return why_; }
    const Holding& holding() const { return holding_; }
    const Doubt& doubt() const { return doubt_; }
    // The doubt if the present attempt gets no answer: for the INTENT.
    const Doubt& pending_doubt() const { return pending_; }
    const Learned& learned() const { return learned_; }
    std::uint32_t attempt() const { return attempt_; }
    const Rate& rate() const { return rate_; }
    BootTime told_to_wait() const { return told_to_wait_; }
    bool is_copied() const { return copied_; }
    bool access_is_dead() const { return access_dead_; }
    std::uint32_t failed_commits() const { return failed_commits_; }
    // True if a refresh can happen without a person.
    bool can_refresh() const;
    // True between the intent and its result, when nothing may interrupt the driver.
    bool is_exchanging() const;
    // True if there is an access token, nobody refused it, and it has not expired.
    bool access_is_usable(BootTime now) const;
    BootTime expires() const { return holding_.issued + holding_.lifetime; }
    // When a quarter of the lifetime is left: from then on a refresh is urgent.
    BootTime urgent_from() const { return expires() - holding_.lifetime / 4; }
    // True if a person should look as well: a doubt of a day with a 5xx or without a usable access token, an unreadable
    // answer, repeated refusals, repeated sets without an access token, or no refreshes left for the day.
    bool needs_look(BootTime now) const;
    // How soon the exchange in preparation must be sent.
    Haste haste(BootTime now) const;

private:
    enum class Cause { timer, rejection, seal, doubt };
    enum class Purpose { suspicion, denial };

    Action from_resting(const Event& event);
    Action from_proving(CanaryAnswer answer);
    Action from_fitting(CanaryAnswer answer);
    Action from_consulting(CanaryAnswer answer);
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
    void learn_fitness(bool refuses);
    bool must_try_canary() const;
    static Duration replay_pause(std::uint32_t replays);
    BootTime replay_due() const;
    Action replay_at(BootTime due);
    Duration pause_until_sent();
    bool waits_for_first_replay() const;
    bool keeps_unread_set() const;
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
    BootTime canary_tried_at_ = long_ago;
    BootTime now_;
    BootTime not_before_;
    Rate rate_;
    std::uint32_t attempt_ = 0;
    std::uint32_t tries_ = 0;  // consecutive failures before anything was sent
    std::uint32_t failed_commits_ = 0;
    BootTime told_to_wait_;  // by the token endpoint
    BootTime last_sent_ = long_ago;
    // A person asked for an attempt: while the token worked, it counts if the service refuses it before `until`.
    struct OnceMore {
        bool now = false;
        BootTime until;
    } once_more_;
    double random_ = 0.5;
    bool copied_ = false;
    bool access_dead_ = false;  // the canary refused it
    struct Refusal {
        bool says_expired = false;
        bool has_refuser = false;
    };
    Refusal refusal_;               // the reported 401
    bool access_survived_ = false;  // of a lost answer
};

const char* to_string(RefreshMachine::State state);
const char* to_string(CanaryAnswer answer);

}  // namespace shelfd::oauth

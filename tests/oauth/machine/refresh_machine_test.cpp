// One test row for each row of the machine's transition table, and what must hold on every way through it.
#include "oauth/machine/refresh_machine.hpp"
#include "support/catch.hpp"

#include <random>

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;
using Machine = RefreshMachine;
using Kind = Machine::EventKind;
using Act = Machine::ActionKind;
using State = Machine::State;

constexpr BootTime start_time = BootTime::from_micros(1'000'000'000);

Holding some_holding(std::uint64_t generation = 1)
{
    Holding holding;
    holding.generation = generation;
    holding.access = true;
    holding.refresh = true;
    holding.issued = start_time;
    holding.lifetime = 168h;
    return holding;
}

Machine::Start good_start()
{
    Machine::Start start;
    start.holding = some_holding();
    start.learned.canary_refuses = true;
    start.canary_tried_at = start_time;
    start.learned.old_token_dies = true;
    return start;
}

// A machine and its clock; each call is one event.
class Script {
public:
    explicit Script(const Machine::Start& start = good_start()) : machine(start) {}

    Machine::Action at(BootTime now, Machine::Event event)
    {
        time = now;
        event.now = now;
        return machine.resume(event);
    }
    Machine::Action event(Kind kind)
    {
        Machine::Event made;
        made.kind = kind;
        return at(time, made);
    }
    Machine::Action woke() { return event(Kind::woke); }
    Machine::Action rejected(bool says_expired = false, bool has_refuser = false)
    {
        Machine::Event made;
        made.kind = Kind::rejected;
        made.says_expired = says_expired;
        made.has_refuser = has_refuser;
        return at(time, made);
    }
    Machine::Action canary(CanaryAnswer answer)
    {
        Machine::Event made;
        made.kind = Kind::canary;
        made.canary = answer;
        return at(time, made);
    }
    Machine::Action copies(Kind kind, int count)
    {
        Machine::Event made;
        made.kind = kind;
        made.copies = count;
        return at(time, made);
    }
    Machine::Action compared(bool evidence, std::optional<Holding> newer = std::nullopt)
    {
        Machine::Event made;
        made.kind = Kind::compared;
        made.evidence = evidence;
        made.newer = newer;
        return at(time, made);
    }
    Machine::Action landed(AnswerClass answer, bool access_survived = false)
    {
        Machine::Event made;
        made.kind = Kind::landed;
        made.answer = answer;
        made.access_survived = access_survived;
        return at(time, made);
    }
    Machine::Action committed(int count, std::uint64_t generation = 2)
    {
        Machine::Event made;
        made.kind = Kind::committed;
        made.copies = count;
        made.holding = some_holding(generation);
        made.holding.issued = time;
        return at(time, made);
    }

    Machine::Action too_large(bool access_survived)
    {
        Machine::Event made;
        made.kind = Kind::unstorable;
        made.access_survived = access_survived;
        return at(time, made);
    }

    // The usual way to a certain point.
    void to_due() { time = start_time + 84h; }
    void to_preparing()
    {
        to_due();
        woke();
        canary(CanaryAnswer::ours);
    }
    void to_exchanging()
    {
        to_preparing();
        copies(Kind::disk, 2);
        copies(Kind::written, 2);
    }
    Machine::Action exchanged(AnswerClass answer, bool access_survived = false)
    {
        event(Kind::ended);
        return landed(answer, access_survived);
    }
    // In doubt, with the canary about to be asked.
    void to_doubt()
    {
        to_exchanging();
        exchanged(AnswerClass::unclear);
        copies(Kind::written, 2);
    }

    Machine machine;
    BootTime time = start_time;
};

void expect(const Script& script, const Machine::Action& action, State state, Act kind)
{
    REQUIRE(to_string(script.machine.state()) == std::string(to_string(state)));
    REQUIRE(static_cast<int>(action.kind) == static_cast<int>(kind));
}

TEST_CASE("resting: woke too early rests on until half of the life")
{
    Script script;
    const auto action = script.woke();
    expect(script, action, State::resting, Act::rest);
    REQUIRE(action.until == start_time + 84h);
}

TEST_CASE("resting: woke when due asks the canary")
{
    Script script;
    script.to_due();
    expect(script, script.woke(), State::proving, Act::ask_canary);
}

TEST_CASE("resting: rejected asks the canary, and without an access token does not")
{
    Script script;
    expect(script, script.rejected(), State::proving, Act::ask_canary);
    auto start = good_start();
    start.holding.access = false;
    Script without(start);
    expect(without, without.rejected(), State::resting, Act::rest);
}

TEST_CASE("resting: seal prepares at once")
{
    Script script;
    expect(script, script.event(Kind::seal), State::preparing, Act::probe_disk);
}

TEST_CASE("resting: without a refresh token, or copied, or judged, no time brings a refresh")
{
    auto start = good_start();
    SECTION("no refresh token")
    {
        start.holding.refresh = false;
    }
    SECTION("copied")
    {
        start.copied = true;
    }
    SECTION("foreign")
    {
        start.standing = Standing::foreign;
    }
    SECTION("lost")
    {
        start.standing = Standing::lost;
    }
    Script script(start);
    script.time = start_time + 1000h;
    const auto action = script.woke();
    expect(script, action, State::resting, Act::rest);
    REQUIRE_FALSE(action.until);
    expect(script, script.event(Kind::seal), State::resting, Act::rest);
    // A refusal is still looked into, so that the access token is known to be dead; nothing is sent for it.
    script.time = start_time + 1h;
    expect(script, script.rejected(), State::proving, Act::ask_canary);
    expect(script, script.canary(CanaryAnswer::refused_as_invalid), State::resting, Act::rest);
    REQUIRE_FALSE(script.machine.access_is_usable(script.time));
}

TEST_CASE("proving: an unreachable canary means not now, ever more rarely")
{
    Script script;
    script.to_due();
    Duration last(0);
    for (int i = 0; i < 20; ++i) {
        script.woke();
        const auto answer = i % 2 == 0 ? CanaryAnswer::unreachable : CanaryAnswer::throttled;
        const auto action = script.canary(answer);
        expect(script, action, State::resting, Act::rest);
        REQUIRE(action.until);
        REQUIRE(*action.until - script.time >= last);
        last = *action.until - script.time;
        script.time = *action.until;
    }
    REQUIRE(last == 15min);
}

TEST_CASE("proving: after woke, any complete answer of the service proves the path")
{
    for (const auto answer :
         {CanaryAnswer::ours, CanaryAnswer::wrong_library, CanaryAnswer::forbidden, CanaryAnswer::refused}) {
        Script script;
        script.to_due();
        script.woke();
        expect(script, script.canary(answer), State::preparing, Act::probe_disk);
    }
}

TEST_CASE("proving and fitting: a canary that was never tried with a wrong token is tried, and remembered")
{
    for (const auto& [answer, learned] : {std::pair(CanaryAnswer::refused_as_invalid, std::optional<bool>(true)),
                                          std::pair(CanaryAnswer::ours, std::optional<bool>(false)),
                                          std::pair(CanaryAnswer::unreachable, std::optional<bool>())}) {
        auto start = good_start();
        start.learned.canary_refuses.reset();
        Script script(start);
        script.to_due();
        script.woke();
        expect(script, script.canary(CanaryAnswer::ours), State::fitting, Act::ask_wrong_token);
        expect(script, script.canary(answer), State::preparing, Act::probe_disk);
        REQUIRE(script.machine.learned().canary_refuses == learned);
    }
}

TEST_CASE("proving: rejected, and a fit canary accepts: that resource is refused")
{
    Script script;
    script.rejected();
    const auto action = script.canary(CanaryAnswer::ours);
    expect(script, action, State::resting, Act::rest);
    REQUIRE(action.rejection == Rejection::refused);
    REQUIRE(action.until == start_time + 84h);
}

TEST_CASE("proving: a canary that accepts is tried with a wrong token again, an hour after it refused one")
{
    for (const bool is_fit : {true, false}) {
        Script script;
        script.time = start_time + 59min;
        script.rejected();
        REQUIRE(script.canary(CanaryAnswer::ours).rejection == Rejection::refused);
        script.time = start_time + 1h;
        script.rejected();
        expect(script, script.canary(CanaryAnswer::ours), State::fitting, Act::ask_wrong_token);
        const auto action = script.canary(is_fit ? CanaryAnswer::refused_as_invalid : CanaryAnswer::ours);
        expect(script, action, State::resting, Act::rest);
        REQUIRE(action.rejection == (is_fit ? Rejection::refused : Rejection::unconfirmed));
        REQUIRE(script.machine.learned().canary_refuses == is_fit);
        // That counts for an hour.
        script.time = start_time + 119min;
        script.rejected();
        REQUIRE(script.canary(CanaryAnswer::ours).rejection == action.rejection);
    }
}

TEST_CASE("consulting: the address that refused decides in the place of a canary that accepts any token")
{
    for (const auto answer : {CanaryAnswer::refused, CanaryAnswer::refused_as_invalid, CanaryAnswer::ours,
                              CanaryAnswer::forbidden, CanaryAnswer::unreachable}) {
        auto start = good_start();
        start.learned.canary_refuses = false;
        Script script(start);
        script.rejected(false, true);
        expect(script, script.canary(CanaryAnswer::ours), State::consulting, Act::ask_refuser);
        const auto action = script.canary(answer);
        const auto is_dead = refuses(answer);
        REQUIRE(script.machine.access_is_dead() == is_dead);
        if (answer == CanaryAnswer::refused) {
            expect(script, action, State::preparing, Act::probe_disk);
        } else if (is_dead) {
            expect(script, action, State::comparing, Act::reread);
            expect(script, script.compared(false), State::preparing, Act::probe_disk);
        } else {
            expect(script, action, State::resting, Act::rest);
            REQUIRE(action.rejection == (accepts(answer) ? Rejection::none : Rejection::unconfirmed));
            REQUIRE(script.machine.learned().canary_refuses == std::optional<bool>(false));
        }
    }
}

TEST_CASE("consulting: a token that is dead and cannot be refreshed needs a person")
{
    auto start = good_start();
    start.learned.canary_refuses = false;
    start.holding.refresh = false;
    Script script(start);
    script.rejected(false, true);
    script.canary(CanaryAnswer::ours);
    const auto action = script.canary(CanaryAnswer::refused);
    expect(script, action, State::resting, Act::rest);
    REQUIRE(script.machine.why() == Why::person);
    // The canary's word does not revive it.
    script.rejected();
    script.canary(CanaryAnswer::ours);
    REQUIRE(script.machine.access_is_dead());
}

TEST_CASE("proving: rejected, and an unfit canary accepts: only an expired token is refreshed")
{
    auto start = good_start();
    start.learned.canary_refuses = false;
    Script script(start);
    script.rejected();
    REQUIRE(script.canary(CanaryAnswer::ours).rejection == Rejection::unconfirmed);
    script.rejected(true);
    expect(script, script.canary(CanaryAnswer::ours), State::preparing, Act::probe_disk);
}

TEST_CASE("proving: rejected, and an unfit canary accepts an expired token: why it is not refreshed is told as it is")
{
    auto start = good_start();
    start.learned.canary_refuses = false;
    auto why = Why::person;
    std::optional<Duration> pause;
    SECTION("no refresh token")
    {
        start.holding.refresh = false;
    }
    SECTION("no refresh token, whatever the day's number says")
    {
        start.holding.refresh = false;
        start.rate.day_count = 24;
        start.rate.day_start = start_time + 80h;
    }
    SECTION("copied")
    {
        start.copied = true;
        why = Why::copied;
    }
    SECTION("the day's number is used up")
    {
        start.rate.day_count = 24;
        start.rate.day_start = start_time + 80h;
        why = Why::too_many;
        pause = 14h;  // until the day is over
    }
    SECTION("the token endpoint asked for a wait")
    {
        start.told_to_wait = start_time + 91h;
        why = Why::throttled;
        pause = 1h;
    }
    start.canary_tried_at = start_time + 90h;
    Script script(start);
    script.time = start_time + 90h;
    script.rejected(true);
    const auto action = script.canary(CanaryAnswer::ours);
    expect(script, action, State::resting, Act::rest);
    REQUIRE(action.rejection == Rejection::none);
    REQUIRE(static_cast<int>(script.machine.why()) == static_cast<int>(why));
    REQUIRE(action.until == (pause ? std::optional(script.time + *pause) : std::nullopt));
}

TEST_CASE("proving: rejected, and the canary cannot tell: nothing is spent and nothing is said")
{
    for (const auto answer : {CanaryAnswer::unreachable, CanaryAnswer::throttled, CanaryAnswer::forbidden}) {
        Script script;
        script.rejected();
        const auto action = script.canary(answer);
        expect(script, action, State::resting, Act::rest);
        REQUIRE(action.rejection == Rejection::none);
    }
}

TEST_CASE("proving: refused as invalid while our record lives: both copies are looked at first")
{
    Script script;
    script.rejected();
    expect(script, script.canary(CanaryAnswer::refused_as_invalid), State::comparing, Act::reread);
}

TEST_CASE("proving: refused as expired, or after our own clock's end, prepares at once")
{
    Script script;
    script.rejected();
    expect(script, script.canary(CanaryAnswer::refused), State::preparing, Act::probe_disk);
    Script late;
    late.time = start_time + 169h;
    late.woke();
    expect(late, late.canary(CanaryAnswer::refused_as_invalid), State::preparing, Act::probe_disk);
}

TEST_CASE("comparing, suspicion: evidence ends it without a token shown, none goes on, a newer set is taken")
{
    const auto suspicious = [] {
        Script script;
        script.rejected();
        script.canary(CanaryAnswer::refused_as_invalid);
        return script;
    };
    auto with_evidence = suspicious();
    expect(with_evidence, with_evidence.compared(true), State::judging, Act::write_verdict);
    REQUIRE(with_evidence.machine.standing() == Standing::foreign);
    expect(with_evidence, with_evidence.copies(Kind::written, 2), State::resting, Act::rest);
    auto without = suspicious();
    expect(without, without.compared(false), State::preparing, Act::probe_disk);
    auto newer = suspicious();
    expect(newer, newer.compared(true, some_holding(7)), State::resting, Act::rest);
    REQUIRE(newer.machine.holding().generation == 7);
    REQUIRE(newer.machine.access_is_usable(newer.time));
}

TEST_CASE("preparing: two copies suffice always, one only when waiting is a risk, none and no secret never")
{
    {
        Script script;
        script.to_preparing();
        expect(script, script.event(Kind::no_secret), State::resting, Act::rest);
    }
    for (const int count : {0, 1, 2}) {
        Script script;
        script.to_preparing();
        const auto action = script.copies(Kind::disk, count);
        expect(script, action, count == 2 ? State::intending : State::resting,
               count == 2 ? Act::write_intent : Act::rest);
        Script late;
        late.time = start_time + 130h;
        late.woke();
        late.canary(CanaryAnswer::ours);
        const auto late_action = late.copies(Kind::disk, count);
        expect(late, late_action, count >= 1 ? State::intending : State::resting,
               count >= 1 ? Act::write_intent : Act::rest);
    }
}

TEST_CASE("intending: one copy is enough, none is not now")
{
    Script script;
    script.to_preparing();
    script.copies(Kind::disk, 2);
    expect(script, script.copies(Kind::written, 1), State::exchanging, Act::exchange);
    Script none;
    none.to_preparing();
    none.copies(Kind::disk, 2);
    expect(none, none.copies(Kind::written, 0), State::resting, Act::rest);
}

TEST_CASE("exchanging: not sent is a verdict and another try, ended lands")
{
    Script script;
    script.to_exchanging();
    expect(script, script.event(Kind::not_sent), State::judging, Act::write_verdict);
    REQUIRE(script.machine.standing() == Standing::good);
    const auto action = script.copies(Kind::written, 2);
    expect(script, action, State::resting, Act::rest);
    REQUIRE(*action.until - script.time == 10s);
    Script ended;
    ended.to_exchanging();
    expect(ended, ended.event(Kind::ended), State::landing, Act::land);
}

TEST_CASE("landing: each class goes its way")
{
    struct Row {
        AnswerClass answer;
        State state;
        Act act;
        Standing standing;
    };
    for (const auto& row :
         {Row{AnswerClass::granted, State::committing, Act::commit, Standing::good},
          Row{AnswerClass::salvaged, State::committing, Act::commit, Standing::good},
          Row{AnswerClass::denied, State::comparing, Act::reread, Standing::good},
          Row{AnswerClass::configuration, State::judging, Act::write_verdict, Standing::configuration},
          Row{AnswerClass::throttled, State::judging, Act::write_verdict, Standing::good},
          Row{AnswerClass::server_error, State::judging, Act::write_verdict, Standing::in_doubt},
          Row{AnswerClass::unclear, State::judging, Act::write_verdict, Standing::in_doubt}}) {
        Script script;
        script.to_exchanging();
        expect(script, script.exchanged(row.answer), row.state, row.act);
        REQUIRE(script.machine.standing() == row.standing);
    }
}

TEST_CASE("comparing, denied: foreign without an earlier doubt, lost with one, the kept set if there is one")
{
    Script foreign;
    foreign.to_exchanging();
    foreign.exchanged(AnswerClass::denied);
    expect(foreign, foreign.compared(false), State::judging, Act::write_verdict);
    REQUIRE(foreign.machine.standing() == Standing::foreign);

    Script lost;
    lost.to_doubt();
    lost.canary(CanaryAnswer::refused_as_invalid);
    lost.copies(Kind::disk, 2);
    lost.copies(Kind::written, 2);
    lost.exchanged(AnswerClass::denied);
    expect(lost, lost.compared(false), State::judging, Act::write_verdict);
    REQUIRE(lost.machine.standing() == Standing::lost);
    expect(lost, lost.copies(Kind::written, 2), State::resting, Act::rest);
    REQUIRE_FALSE(lost.machine.rest_now().until);

    auto start = good_start();
    start.holding.has_kept = true;
    Script kept(start);
    kept.event(Kind::seal);
    kept.copies(Kind::disk, 2);
    kept.copies(Kind::written, 2);
    kept.exchanged(AnswerClass::denied);
    expect(kept, kept.compared(false), State::committing, Act::restore_kept);
    expect(kept, kept.committed(2), State::resting, Act::rest);
    REQUIRE(kept.machine.standing() == Standing::good);

    Script newer;
    newer.to_exchanging();
    newer.exchanged(AnswerClass::denied);
    expect(newer, newer.compared(false, some_holding(3)), State::resting, Act::rest);
    REQUIRE(newer.machine.standing() == Standing::good);
}

TEST_CASE("committing: one copy makes the set; with none it is tried until one does, and nothing interrupts that")
{
    Script script;
    script.to_exchanging();
    script.exchanged(AnswerClass::granted);
    Duration last(0);
    for (int i = 0; i < 10; ++i) {
        const auto action = script.committed(0);
        expect(script, action, State::committing, Act::commit);
        REQUIRE(*action.until - script.time >= last);
        last = *action.until - script.time;
        script.time = *action.until;
        REQUIRE(script.machine.is_exchanging());
    }
    REQUIRE(last == 30s);
    const auto action = script.committed(1);
    expect(script, action, State::resting, Act::rest);
    REQUIRE(script.machine.holding().generation == 2);
    REQUIRE(action.until == script.time + 84h);
    REQUIRE(script.machine.failed_commits() == 0);
}

TEST_CASE("committing: a set that no record can hold is lost, but for its access token where that one fits")
{
    for (const bool fits : {true, false}) {
        Script script;
        script.to_exchanging();
        script.exchanged(AnswerClass::granted);
        expect(script, script.too_large(fits), State::judging, Act::write_verdict);
        REQUIRE(script.machine.standing() == Standing::lost);
        const auto action = script.copies(Kind::written, 2);
        if (fits) {
            expect(script, action, State::committing, Act::commit_rest);
            expect(script, script.too_large(false), State::judging, Act::write_verdict);
            expect(script, script.copies(Kind::written, 2), State::resting, Act::rest);
        } else {
            expect(script, action, State::resting, Act::rest);
        }
        REQUIRE_FALSE(script.machine.is_exchanging());
        REQUIRE_FALSE(script.machine.rest_now().until);
    }
}

TEST_CASE("committing and measuring: whether the old token dies is learned once")
{
    for (const auto answer : {CanaryAnswer::refused_as_invalid, CanaryAnswer::ours, CanaryAnswer::unreachable}) {
        auto start = good_start();
        start.learned.old_token_dies.reset();
        Script script(start);
        script.to_exchanging();
        script.exchanged(AnswerClass::granted);
        expect(script, script.committed(2), State::measuring, Act::ask_old_token);
        REQUIRE_FALSE(script.machine.is_exchanging());
        expect(script, script.canary(answer), State::resting, Act::rest);
        REQUIRE(script.machine.learned().old_token_dies.has_value() == (answer != CanaryAnswer::unreachable));
        REQUIRE(script.machine.learned().old_token_dies.value_or(true) == (answer != CanaryAnswer::ours));
    }
}

TEST_CASE("judging: in doubt asks the oracle at once; without one it waits for the replay's time")
{
    Script script;
    script.to_exchanging();
    script.exchanged(AnswerClass::unclear);
    expect(script, script.copies(Kind::written, 2), State::proving, Act::ask_canary);

    auto start = good_start();
    start.learned.old_token_dies = false;
    Script without(start);
    without.to_exchanging();
    without.exchanged(AnswerClass::unclear);
    const auto action = without.copies(Kind::written, 2);
    expect(without, action, State::resting, Act::rest);
    REQUIRE(*action.until - without.time == 1s);
}

TEST_CASE("judging: lost with a surviving access token keeps that token")
{
    Script script;
    script.to_exchanging();
    script.exchanged(AnswerClass::unclear, true);
    script.copies(Kind::written, 2);
    script.canary(CanaryAnswer::refused_as_invalid);
    script.copies(Kind::disk, 2);
    script.copies(Kind::written, 2);
    script.exchanged(AnswerClass::denied);
    script.compared(false);
    expect(script, script.copies(Kind::written, 2), State::committing, Act::commit_rest);
    Machine::Event committed;
    committed.kind = Kind::committed;
    committed.copies = 2;
    committed.holding = some_holding(2);
    committed.holding.refresh = false;
    expect(script, script.at(script.time, committed), State::resting, Act::rest);
    REQUIRE(script.machine.standing() == Standing::lost);
    REQUIRE(script.machine.access_is_usable(script.time));
}

TEST_CASE("proving, in doubt: the oracle says committed: replayed at once, the first time")
{
    Script script;
    script.to_doubt();
    expect(script, script.canary(CanaryAnswer::refused_as_invalid), State::preparing, Act::probe_disk);
    REQUIRE(script.machine.doubt().committed);
    script.copies(Kind::disk, 2);
    script.copies(Kind::written, 2);
    script.exchanged(AnswerClass::unclear);
    script.copies(Kind::written, 2);
    const auto action = script.canary(CanaryAnswer::refused_as_invalid);
    expect(script, action, State::resting, Act::rest);
    REQUIRE(*action.until - script.time == 5s);
}

TEST_CASE("proving, in doubt: the oracle says not committed: replayed after a gateway's time, still saying so")
{
    Script script;
    script.to_doubt();
    const auto action = script.canary(CanaryAnswer::ours);
    expect(script, action, State::resting, Act::rest);
    REQUIRE(*action.until - script.time == 180s);
    REQUIRE(script.machine.access_is_usable(script.time));
    script.time = *action.until;
    expect(script, script.woke(), State::proving, Act::ask_canary);
    expect(script, script.canary(CanaryAnswer::ours), State::preparing, Act::probe_disk);
}

TEST_CASE("proving, in doubt: an oracle that cannot be reached is asked once more, and then the first replay goes")
{
    const auto answer = GENERATE(CanaryAnswer::unreachable, CanaryAnswer::throttled);
    Script script;
    script.to_doubt();
    const auto action = script.canary(answer);
    expect(script, action, State::resting, Act::rest);
    REQUIRE(*action.until - script.time == 1s);
    script.time = *action.until;
    script.woke();
    expect(script, script.canary(answer), State::preparing, Act::probe_disk);
    REQUIRE_FALSE(script.machine.doubt().committed);
}

TEST_CASE("proving, in doubt: a first replay that could not be sent is tried again within five seconds for two minutes")
{
    Script script;
    script.to_doubt();
    const auto start = script.time;
    script.canary(CanaryAnswer::unreachable);
    script.time = *script.machine.rest_now().until;
    while (script.time - start < 2min) {
        script.woke();
        script.canary(CanaryAnswer::unreachable);
        script.copies(Kind::disk, 2);
        script.copies(Kind::written, 2);
        script.event(Kind::not_sent);
        const auto action = script.copies(Kind::written, 2);
        expect(script, action, State::resting, Act::rest);
        REQUIRE(*action.until - script.time <= 5s);
        REQUIRE(*action.until - script.time >= 1s);
        // A report of a 401 does not hurry it.
        expect(script, script.rejected(), State::resting, Act::rest);
        script.time = *action.until;
    }
}

TEST_CASE("proving, in doubt: a first replay waits as long as the token endpoint has asked, where nothing is rotated")
{
    Script script;
    script.to_exchanging();
    script.event(Kind::ended);
    Machine::Event answer;
    answer.kind = Kind::landed;
    answer.answer = AnswerClass::server_error;
    answer.retry_after = 1h;
    script.at(script.time, answer);
    script.copies(Kind::written, 2);
    for (int i = 0; i < 3; ++i) {
        const auto action = script.canary(CanaryAnswer::unreachable);
        expect(script, action, State::resting, Act::rest);
        REQUIRE(*action.until - script.time == 1h);
        script.woke();
    }
}

TEST_CASE("proving, in doubt: an oracle that has said that nothing is rotated is asked again, soon and then rarely")
{
    Script script;
    script.to_doubt();
    script.canary(CanaryAnswer::ours);
    script.time = script.time + 180s;
    script.woke();
    for (const auto pause :
         {Duration(1s), Duration(5s), Duration(20s), Duration(60s), Duration(5min), Duration(5min)}) {
        const auto action = script.canary(CanaryAnswer::unreachable);
        expect(script, action, State::resting, Act::rest);
        REQUIRE(*action.until - script.time == pause);
        script.time = *action.until;
        script.woke();
    }
}

TEST_CASE("proving, in doubt: without an oracle, replays come at 1 s, 5 s, 20 s, 60 s, 5 min, 30 min, hourly")
{
    auto start = good_start();
    start.holding.lifetime = 1h;
    Script script(start);
    script.time = start_time + 2h;
    script.woke();
    script.canary(CanaryAnswer::refused);
    for (const auto pause : {Duration(1s), Duration(5s), Duration(20s), Duration(60s), Duration(5min), Duration(30min),
                             Duration(1h), Duration(1h)}) {
        script.copies(Kind::disk, 1);
        script.copies(Kind::written, 1);
        script.exchanged(AnswerClass::server_error);
        const auto action = script.copies(Kind::written, 1);
        expect(script, action, State::resting, Act::rest);
        REQUIRE(*action.until - script.time == pause);
        script.time = *action.until;
        script.woke();
        expect(script, script.canary(CanaryAnswer::refused), State::preparing, Act::probe_disk);
    }
    REQUIRE_FALSE(script.machine.needs_look(script.time));
    REQUIRE(script.machine.needs_look(script.time + 24h));
}

TEST_CASE("judging: after a 429 the old token is asked about: dead, the answer came after the service acted")
{
    Script script;
    script.to_exchanging();
    script.event(Kind::ended);
    Machine::Event answer;
    answer.kind = Kind::landed;
    answer.answer = AnswerClass::throttled;
    answer.ambiguity = Ambiguity::refusal;
    expect(script, script.at(script.time, answer), State::judging, Act::write_verdict);
    expect(script, script.copies(Kind::written, 2), State::proving, Act::ask_canary);
    SECTION("alive")
    {
        const auto action = script.canary(CanaryAnswer::ours);
        expect(script, action, State::resting, Act::rest);
        REQUIRE(*action.until - script.time == 60s);
        REQUIRE_FALSE(script.machine.doubt().open);
        REQUIRE(script.machine.why() == Why::throttled);
    }
    SECTION("nobody can tell")
    {
        const auto action = script.canary(CanaryAnswer::unreachable);
        expect(script, action, State::resting, Act::rest);
        REQUIRE(*action.until - script.time == 60s);
        REQUIRE(script.machine.doubt().open);
    }
    SECTION("dead")
    {
        expect(script, script.canary(CanaryAnswer::refused_as_invalid), State::preparing, Act::probe_disk);
        REQUIRE(script.machine.doubt().committed);
        script.copies(Kind::disk, 2);
        REQUIRE(script.machine.pending_doubt().replays == 1);
        script.copies(Kind::written, 2);
        script.exchanged(AnswerClass::denied);
        script.compared(false);
        REQUIRE(script.machine.standing() == Standing::lost);
    }
}

TEST_CASE("preparing: without a turn a refresh that has time comes back later")
{
    Script script;
    script.to_preparing();
    const auto action = script.event(Kind::no_turn);
    expect(script, action, State::resting, Act::rest);
    REQUIRE(script.machine.why() == Why::turn);
    REQUIRE(*action.until - script.time == 10s);
}

TEST_CASE(
    "how soon an exchange must be sent: in doubt at once, without a token that lives for long urgently, else calmly")
{
    Script script;
    REQUIRE(script.machine.haste(start_time + 84h) == Haste::calm);
    REQUIRE(script.machine.haste(start_time + 126h) == Haste::urgent);
    script.to_doubt();
    REQUIRE(script.machine.haste(script.time) == Haste::in_doubt);
    Script sealing;
    sealing.event(Kind::seal);
    REQUIRE(sealing.machine.haste(sealing.time) == Haste::urgent);
    auto start = good_start();
    start.holding.access = false;
    REQUIRE(Script(start).machine.haste(start_time + 1s) == Haste::urgent);
}

// The exchange under way ends with an answer that is unclear.
void answered(Script& script, Ambiguity ambiguity)
{
    script.event(Kind::ended);
    Machine::Event made;
    made.kind = Kind::landed;
    made.ambiguity = ambiguity;
    script.at(script.time, made);
    script.copies(Kind::written, 2);
}

TEST_CASE("landing: refusals in a row, and answers that nobody can read, are for a person to look at")
{
    SECTION("refusals while the old token works: the second one")
    {
        Script script;
        script.to_exchanging();
        answered(script, Ambiguity::refusal);
        script.canary(CanaryAnswer::ours);
        REQUIRE_FALSE(script.machine.needs_look(script.time));
        script.time = script.time + 180s;
        script.woke();
        script.canary(CanaryAnswer::ours);
        script.copies(Kind::disk, 2);
        script.copies(Kind::written, 2);
        answered(script, Ambiguity::refusal);
        script.canary(CanaryAnswer::ours);
        REQUIRE(script.machine.needs_look(script.time));
    }
    SECTION("an answer that nobody can read: unless the old token works; and the second one is kept for hours")
    {
        Script script;
        script.to_exchanging();
        answered(script, Ambiguity::unreadable);
        REQUIRE(script.machine.needs_look(script.time));
        script.canary(CanaryAnswer::refused_as_invalid);
        script.copies(Kind::disk, 2);
        script.copies(Kind::written, 2);
        answered(script, Ambiguity::unreadable);
        const auto action = script.canary(CanaryAnswer::refused_as_invalid);
        REQUIRE(script.machine.needs_look(script.time));
        REQUIRE(*action.until - script.time == 6h);
        script.machine.ask_once_more(script.time);
        script.time = script.time + 1s;
        script.woke();
        expect(script, script.canary(CanaryAnswer::refused_as_invalid), State::preparing, Act::probe_disk);
        Script alive;
        alive.to_exchanging();
        answered(alive, Ambiguity::unreadable);
        alive.canary(CanaryAnswer::ours);
        REQUIRE_FALSE(alive.machine.needs_look(alive.time));
    }
}

TEST_CASE("a new set in an answer that nobody can read: the spent token is not presented again by itself")
{
    const auto until_unread = [](Script& script) {
        script.to_exchanging();
        answered(script, Ambiguity::unread_set);
    };
    SECTION("the old access token is dead: only a person may try again")
    {
        Script script;
        until_unread(script);
        const auto action = script.canary(CanaryAnswer::refused_as_invalid);
        CHECK(script.machine.state() == State::resting);
        CHECK_FALSE(action.until);
        CHECK(script.machine.needs_look(script.time));
        script.time = script.time + 24h;
        CHECK_FALSE(script.machine.rest_now().until);
        script.machine.ask_once_more(script.time);
        REQUIRE(script.machine.rest_now().until <= script.time);
        script.woke();
        expect(script, script.canary(CanaryAnswer::refused_as_invalid), State::preparing, Act::probe_disk);
    }
    SECTION("nobody can tell at first: the canary is asked until it does, and nothing is sent")
    {
        Script script;
        until_unread(script);
        for (int i = 0; i < 10; ++i) {
            const auto action = script.canary(CanaryAnswer::unreachable);
            REQUIRE(script.machine.state() == State::resting);
            REQUIRE(action.until);
            script.time = *action.until;
            script.woke();
            REQUIRE(script.machine.state() == State::proving);
        }
        CHECK_FALSE(script.canary(CanaryAnswer::refused_as_invalid).until);
    }
    SECTION("the old access token works: the answer came from elsewhere, and the refresh is repeated in time")
    {
        Script script;
        until_unread(script);
        const auto action = script.canary(CanaryAnswer::ours);
        REQUIRE(action.until);
        CHECK_FALSE(script.machine.needs_look(script.time));
        script.time = *action.until;
        script.woke();
        expect(script, script.canary(CanaryAnswer::ours), State::preparing, Act::probe_disk);
    }
}

TEST_CASE("committing: a set without an access token waits a minute for its refresh, then ever longer, unless asked")
{
    Script script;
    script.to_exchanging();
    script.exchanged(AnswerClass::salvaged);
    Duration last(30s);
    for (std::uint64_t generation = 2; generation < 14; ++generation) {
        Machine::Event made;
        made.kind = Kind::committed;
        made.copies = 2;
        made.holding = some_holding(generation);
        made.holding.access = false;
        made.holding.issued = script.time;
        const auto action = script.at(script.time, made);
        expect(script, action, State::resting, Act::rest);
        REQUIRE(script.machine.why() == Why::no_access);
        REQUIRE(*action.until - script.time >= 60s);
        REQUIRE(*action.until - script.time == std::min<Duration>(2 * last, 2h));
        last = *action.until - script.time;
        Script asked = script;
        asked.machine.ask_once_more(asked.time);
        expect(asked, asked.woke(), State::resting, Act::rest);
        asked.time = asked.time + 10s;  // see person_spacing
        expect(asked, asked.woke(), State::proving, Act::ask_canary);
        expect(asked, asked.canary(CanaryAnswer::refused), State::preparing, Act::probe_disk);
        script.time = *action.until;
        expect(script, script.woke(), State::proving, Act::ask_canary);
        script.canary(CanaryAnswer::refused);
        script.copies(Kind::disk, 2);
        script.copies(Kind::written, 2);
        script.exchanged(AnswerClass::salvaged);
    }
    REQUIRE(script.machine.needs_look(script.time));
}

TEST_CASE("an open intent that is found begins in landing, and knows whether a doubt came before it")
{
    for (const auto earlier : {Machine::Earlier::none, Machine::Earlier::doubt}) {
        auto start = good_start();
        start.doubt.open = true;
        start.doubt.since = start.doubt.last_sent = start_time;
        Script script(start);
        script.machine.begin_landing(start, earlier);
        REQUIRE(script.machine.is_exchanging());
        expect(script, script.landed(AnswerClass::denied), State::comparing, Act::reread);
        script.compared(false);
        const auto wanted = earlier == Machine::Earlier::none ? Standing::foreign : Standing::lost;
        REQUIRE(script.machine.standing() == wanted);
    }
}

TEST_CASE("a refusal of our client is waited out, but in doubt it is asked again before a grace window ends")
{
    Script script;
    script.to_exchanging();
    script.exchanged(AnswerClass::configuration);
    REQUIRE(*script.copies(Kind::written, 2).until - script.time == 1h);

    Script in_doubt;
    in_doubt.to_doubt();
    for (const auto pause : {1s, 5s, 20s, 60s}) {
        in_doubt.canary(CanaryAnswer::refused_as_invalid);
        in_doubt.copies(Kind::disk, 2);
        in_doubt.copies(Kind::written, 2);
        in_doubt.exchanged(AnswerClass::configuration);
        const auto rest = in_doubt.copies(Kind::written, 2);
        REQUIRE(*rest.until - in_doubt.time == pause);
        in_doubt.time = *rest.until;
        expect(in_doubt, in_doubt.woke(), State::proving, Act::ask_canary);
    }
}

TEST_CASE(
    "what the token endpoint asked shelfd to wait is waited, up to a day, whoever wants a refresh, and after a restart")
{
    const auto asked = GENERATE(values<Duration>({0s, 5s, 30s, 2h, 24h, 240h}));
    const auto wait = asked == Duration(0) ? 60s : std::clamp<Duration>(asked, 10s, 24h);
    Script script;
    script.to_exchanging();
    script.event(Kind::ended);
    Machine::Event answer;
    answer.kind = Kind::landed;
    answer.answer = AnswerClass::throttled;
    answer.retry_after = asked;
    script.at(script.time, answer);
    REQUIRE(*script.copies(Kind::written, 2).until - script.time == wait);
    auto start = good_start();
    start.told_to_wait = script.machine.told_to_wait();
    Script again(start);
    again.time = script.time;
    for (auto* one : {&script, &again}) {
        REQUIRE(*one->machine.rest_now().until >= script.machine.told_to_wait());
        if (asked >= 60s) {
            one->rejected();
            expect(*one, one->canary(CanaryAnswer::refused), State::resting, Act::rest);
            REQUIRE(one->machine.why() == Why::throttled);
        }
    }
}

TEST_CASE("whoever asks while the token works gets a refresh if the service refuses the token within a minute")
{
    struct Row {
        const char* name;
        std::optional<Duration> asked;  // after the last refresh
        Duration refused;
        std::optional<Duration> rests_until;  // nullopt = refreshed at once
    };
    const auto row = GENERATE(values<Row>({
        {"nobody asked", std::nullopt, 20s, 60s},
        {"asked, and refused", 20s, 21s, std::nullopt},
        {"asked too soon after the last refresh", 2s, 3s, 10s},
    }));
    INFO(row.name);
    Script script;
    script.rejected();
    script.canary(CanaryAnswer::refused);
    script.copies(Kind::disk, 2);
    script.copies(Kind::written, 2);
    script.exchanged(AnswerClass::granted);
    script.committed(2);
    const auto refreshed = script.time;
    if (row.asked) {
        script.machine.ask_once_more(refreshed + *row.asked);
    }
    script.time = refreshed + row.refused;
    script.rejected();
    const auto action = script.canary(CanaryAnswer::refused);
    if (!row.rests_until) {
        expect(script, action, State::preparing, Act::probe_disk);
        return;
    }
    expect(script, action, State::resting, Act::rest);
    REQUIRE(script.machine.why() == Why::hurried);
    REQUIRE(script.machine.rest_now().until == refreshed + *row.rests_until);
}

TEST_CASE("whoever looks at it waits a minute at most of what the token endpoint asked shelfd to wait")
{
    const auto asked = GENERATE(values<Duration>({30s, 2h, 24h}));
    Script script;
    script.to_exchanging();
    script.event(Kind::ended);
    Machine::Event answer;
    answer.kind = Kind::landed;
    answer.answer = AnswerClass::throttled;
    answer.retry_after = asked;
    script.at(script.time, answer);
    script.copies(Kind::written, 2);
    const auto began = script.time;
    script.rejected();
    script.canary(CanaryAnswer::refused);
    script.machine.ask_once_more(script.time);
    const auto rest = script.machine.rest_now();
    REQUIRE(rest.until);
    REQUIRE(*rest.until - began == std::min<Duration>(asked, 1min));
    script.time = *rest.until;
    expect(script, script.woke(), State::proving, Act::ask_canary);
}

TEST_CASE("in doubt a replay waits as long as the service asks, unless it is known to have rotated")
{
    Script script;
    script.to_exchanging();
    script.event(Kind::ended);
    Machine::Event answer;
    answer.kind = Kind::landed;
    answer.answer = AnswerClass::server_error;
    answer.retry_after = 1h;
    script.at(script.time, answer);
    script.copies(Kind::written, 2);
    SECTION("not rotated")
    {
        const auto rest = script.canary(CanaryAnswer::ours);
        REQUIRE(rest.kind == Act::rest);
        REQUIRE(*rest.until - script.time == 1h);
    }
    SECTION("rotated")
    {
        expect(script, script.canary(CanaryAnswer::refused), State::preparing, Act::probe_disk);
    }
}

TEST_CASE("a client secret that was read again frees what waited for it, and nothing else")
{
    SECTION("refused")
    {
        Script script;
        script.to_exchanging();
        script.exchanged(AnswerClass::configuration);
        script.copies(Kind::written, 2);
        REQUIRE(script.machine.secret_changed(script.time));
        REQUIRE(script.machine.rest_now().until == script.time);
    }
    SECTION("refused in doubt: a replay still has its pause")
    {
        Script script;
        script.to_exchanging();
        script.exchanged(AnswerClass::unclear);
        script.copies(Kind::written, 2);
        script.canary(CanaryAnswer::refused_as_invalid);
        script.copies(Kind::disk, 2);
        script.copies(Kind::written, 2);
        script.exchanged(AnswerClass::configuration);
        script.copies(Kind::written, 2);
        for (auto pause = 0; pause < 6; ++pause) {
            script.time = *script.machine.rest_now().until;
            script.canary(CanaryAnswer::unreachable);
        }
        REQUIRE(script.machine.secret_changed(script.time));
        REQUIRE(script.machine.rest_now().until == script.time);
        expect(script, script.woke(), State::proving, Act::ask_canary);
    }
    SECTION("unreadable")
    {
        Script script;
        script.to_preparing();
        const auto rest = script.event(Kind::no_secret);
        REQUIRE(*rest.until > script.time);
        REQUIRE(script.machine.secret_changed(script.time));
        REQUIRE(script.machine.rest_now().until == script.time);
    }
    SECTION("asked to wait")
    {
        Script script;
        script.to_exchanging();
        script.exchanged(AnswerClass::throttled);
        const auto rest = script.copies(Kind::written, 2);
        REQUIRE_FALSE(script.machine.secret_changed(script.time));
        REQUIRE(script.machine.rest_now().until == rest.until);
    }
    SECTION("all is well")
    {
        Script script;
        const auto until = script.machine.rest_now().until;
        REQUIRE_FALSE(script.machine.secret_changed(script.time));
        REQUIRE(script.machine.rest_now().until == until);
    }
}

// Any events in any order, with what must never happen.
TEST_CASE("no sequence of events sends twice for one intent, sends what was judged, or forgets an answer")
{
    std::mt19937 random(5);
    for (int life = 0; life < 3000; ++life) {
        auto start = good_start();
        start.learned.canary_refuses = random() % 2 == 0 ? std::optional<bool>(true) : std::nullopt;
        Script script(start);
        auto action = script.woke();
        int intents = 0, sent = 0;
        bool answer_in_hand = false;
        std::uint64_t generation = 1;
        for (int step = 0; step < 200; ++step) {
            const auto before = script.machine.standing();
            switch (action.kind) {
            case Act::rest:
                REQUIRE_FALSE(answer_in_hand);
                REQUIRE_FALSE(script.machine.is_exchanging());
                script.time = script.time + Duration(static_cast<std::int64_t>(random() % 400'000) * 1'000'000);
                if (random() % 3 != 0 && action.until) {
                    REQUIRE((*action.until > script.time - 1000h));
                    script.time = std::max(script.time, *action.until);
                }
                action = random() % 3 == 0 ? script.rejected(random() % 2 == 0, random() % 2 == 0) : script.woke();
                break;
            case Act::ask_canary:
            case Act::ask_wrong_token:
            case Act::ask_refuser:
            case Act::ask_old_token: action = script.canary(static_cast<CanaryAnswer>(random() % 7)); break;
            case Act::reread: action = script.compared(random() % 4 == 0); break;
            case Act::probe_disk: action = script.copies(Kind::disk, static_cast<int>(random() % 4) - 1); break;
            case Act::write_intent:
                ++intents;
                action = script.copies(Kind::written, static_cast<int>(random() % 3));
                break;
            case Act::exchange:
                ++sent;
                REQUIRE(sent <= intents);
                REQUIRE(before != Standing::foreign);
                REQUIRE(before != Standing::lost);
                action = script.event(random() % 4 == 0 ? Kind::not_sent : Kind::ended);
                break;
            case Act::land: {
                const auto answer = static_cast<AnswerClass>(random() % 7);
                answer_in_hand = answer == AnswerClass::granted || answer == AnswerClass::salvaged;
                action = script.landed(answer, random() % 2 == 0);
                break;
            }
            case Act::commit:
            case Act::commit_rest:
            case Act::restore_kept: {
                const auto count = static_cast<int>(random() % 3);
                answer_in_hand = answer_in_hand && count == 0;
                generation += count > 0 ? 1 : 0;
                action = script.committed(count, generation);
                break;
            }
            case Act::write_verdict:
                REQUIRE_FALSE(answer_in_hand);
                action = script.copies(Kind::written, static_cast<int>(random() % 3));
                break;
            }
        }
    }
}

// As a restart finds it: what the journal keeps of the machine.
Machine::Start restarted(const Machine& machine, BootTime last_sent)
{
    Machine::Start start;
    start.holding = machine.holding();
    start.standing = machine.standing();
    start.doubt = machine.doubt();
    start.doubt.alive = false;
    start.learned = machine.learned();
    start.attempt = machine.attempt();
    start.rate = machine.rate();
    start.told_to_wait = machine.told_to_wait();
    start.last_sent = last_sent;
    return start;
}

// One life of a machine under random events, with the time of each exchange.
class FloorTrial {
public:
    explicit FloorTrial(unsigned seed) : random_(seed), script_(random_start())
    {
        script_.time = start_time + Duration(std::chrono::seconds(random_() % 400'000));
    }

    void live()
    {
        auto action = script_.machine.rest_now();
        for (int step = 0; step < 400; ++step) {
            action = answer(action);
        }
    }

    // Whatever happened, a person who asks gets a try within ten seconds, as soon as nothing that the service said
    // forbids it.
    void ask()
    {
        auto& machine = script_.machine;
        for (int step = 0; step < 20 && machine.state() != State::resting; ++step) {
            answer_well();
        }
        if (!machine.can_refresh() || machine.access_is_usable(script_.time)) {
            return;
        }
        script_.time = std::max(script_.time, machine.told_to_wait());
        machine.ask_once_more(script_.time);
        script_.time = script_.time + 10s;
        action_ = script_.woke();
        const auto before = exchanges_;
        for (int step = 0; step < 6 && exchanges_ == before && machine.state() != State::resting; ++step) {
            answer_well();
        }
        INFO(to_string(machine.state()) << ", why " << static_cast<int>(machine.why()));
        REQUIRE(exchanges_ == before + 1);
    }

    std::size_t exchanges() const { return exchanges_; }
    std::size_t replays() const { return replays_; }

private:
    Machine::Start random_start()
    {
        auto start = good_start();
        constexpr std::array<Duration, 4> lifetimes = {Duration(30s), Duration(1h), Duration(10h), Duration(168h)};
        start.holding.lifetime = lifetimes[random_() % lifetimes.size()];
        start.holding.access = random_() % 4 != 0;
        start.holding.to_seal = random_() % 8 == 0;
        start.learned.canary_refuses = random_() % 8 != 0;
        start.learned.old_token_dies = random_() % 8 != 0;
        return start;
    }

    void check_exchange()
    {
        const auto& machine = script_.machine;
        const auto gap = script_.time - last_sent_;
        ++exchanges_;
        if (machine.doubt().open) {
            ++replays_;
            // At once after the exchange that it repeats, and only once so.
            REQUIRE((gap >= 1s || (machine.doubt().replays == 0 && last_sent_ == machine.doubt().last_sent)));
        } else if (!is_asked_) {
            REQUIRE(gap >= 1s);
            const auto& holding = machine.holding();
            const auto day_most = std::max<std::int64_t>(24, 4 * (24h / holding.lifetime));
            REQUIRE(
                (holding.access || script_.time - holding.issued >= std::min<Duration>(60s, Duration(48h) / day_most)));
            const auto used = script_.time - machine.rate().day_start < 24h ? machine.rate().day_count : 0;
            REQUIRE(used < day_most);
        }
        is_asked_ = false;
        last_sent_ = script_.time;
    }

    Machine::Action rest(const Machine::Action& action)
    {
        auto& machine = script_.machine;
        REQUIRE(machine.can_refresh() == action.until.has_value());
        const auto pause = random_() % 3 == 0 ? random_() % 4'000'000'000 : random_() % 3'000'000;
        script_.time = script_.time + Duration(static_cast<std::int64_t>(pause));
        if (random_() % 2 == 0 && action.until && *action.until - script_.time < 400h) {
            script_.time = std::max(script_.time, *action.until);
        }
        switch (random_() % 12) {
        case 0: script_.machine = Machine(restarted(machine, last_sent_)); return script_.machine.rest_now();
        case 1:
            machine.ask_once_more(script_.time);
            is_asked_ = true;
            return script_.woke();
        case 2: is_asked_ = machine.can_refresh(); return script_.event(Kind::seal);
        case 3: is_asked_ = machine.secret_changed(script_.time) || is_asked_; return script_.woke();
        case 4:
        case 5:
        case 6: return script_.rejected(random_() % 2 == 0);
        default: return script_.woke();
        }
    }

    Machine::Action answer(const Machine::Action& action)
    {
        switch (action.kind) {
        case Act::rest: return rest(action);
        case Act::ask_canary:
        case Act::ask_wrong_token:
        case Act::ask_refuser:
        case Act::ask_old_token: return script_.canary(static_cast<CanaryAnswer>(random_() % 7));
        case Act::reread: return script_.compared(random_() % 50 == 0);
        case Act::probe_disk:
            return random_() % 10 == 0 ? script_.event(random_() % 2 == 0 ? Kind::no_secret : Kind::no_turn)
                                       : script_.copies(Kind::disk, static_cast<int>(random_() % 3));
        case Act::write_intent: return script_.copies(Kind::written, static_cast<int>(random_() % 3));
        case Act::exchange: check_exchange(); return script_.event(random_() % 6 == 0 ? Kind::not_sent : Kind::ended);
        case Act::land: return land();
        case Act::commit:
        case Act::commit_rest:
        case Act::restore_kept: return commit(action.kind != Act::commit_rest);
        case Act::write_verdict: return script_.copies(Kind::written, 2);
        }
        std::abort();
    }

    Machine::Action land()
    {
        Machine::Event landed;
        landed.kind = Kind::landed;
        // Seldom an end of the set, or the life is over early.
        landed.answer = static_cast<AnswerClass>(random_() % 7);
        landed.answer =
            landed.answer == AnswerClass::denied && random_() % 8 != 0 ? AnswerClass::granted : landed.answer;
        landed.ambiguity = static_cast<Ambiguity>(random_() % 3);
        landed.retry_after = random_() % 4 == 0 ? Duration(std::chrono::seconds(random_() % 7200)) : Duration(0);
        return script_.at(script_.time, landed);
    }

    Machine::Action commit(bool has_refresh)
    {
        Machine::Event made;
        made.kind = Kind::committed;
        made.copies = static_cast<int>(random_() % 3);
        made.holding = script_.machine.holding();
        made.holding.generation += 1;
        made.holding.access = random_() % 2 == 0;
        made.holding.refresh = has_refresh;
        made.holding.to_seal = false;
        made.holding.issued = script_.time;
        return script_.at(script_.time, made);
    }

    // With nothing in the way.
    void answer_well()
    {
        switch (script_.machine.state()) {
        case State::proving:
        case State::fitting:
        case State::consulting:
        case State::measuring: action_ = script_.canary(CanaryAnswer::refused); break;
        case State::comparing: action_ = script_.compared(false); break;
        case State::preparing: action_ = script_.copies(Kind::disk, 2); break;
        case State::intending: action_ = script_.copies(Kind::written, 2); break;
        case State::exchanging:
            ++exchanges_;
            action_ = script_.event(Kind::ended);
            break;
        case State::landing: action_ = script_.landed(AnswerClass::granted); break;
        case State::committing: action_ = script_.committed(2, script_.machine.holding().generation + 1); break;
        case State::judging: action_ = script_.copies(Kind::written, 2); break;
        case State::resting: break;
        }
    }

    std::mt19937 random_;
    Script script_;
    Machine::Action action_;
    BootTime last_sent_ = long_ago;
    bool is_asked_ = false;
    std::size_t exchanges_ = 0;
    std::size_t replays_ = 0;
};

TEST_CASE("every way to an exchange has its floor and the day's number, and a person who asks always gets a try")
{
    std::size_t exchanges = 0, replays = 0;
    for (unsigned seed = 1; seed <= 3000; ++seed) {
        INFO("seed " << seed);
        FloorTrial trial(seed);
        trial.live();
        trial.ask();
        exchanges += trial.exchanges();
        replays += trial.replays();
    }
    REQUIRE(exchanges > 30'000);
    REQUIRE(replays > 5'000);
}

}  // namespace
}  // namespace shelfd::oauth

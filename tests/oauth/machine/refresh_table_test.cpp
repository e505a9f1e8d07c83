// Compares the transition table in the header of the refresh machine with the machine.
#include "oauth/machine/refresh_machine.hpp"
#include "support/catch.hpp"
#include "support/transition_table.hpp"

#include <cstdlib>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;
using Machine = RefreshMachine;
using Kind = Machine::EventKind;
using Act = Machine::ActionKind;
using State = Machine::State;

constexpr BootTime start_time = BootTime::from_micros(1'000'000'000);

using Named = std::pair<const char*, Kind>;

const std::vector<Named>& answers_to(State state)
{
    static const std::vector<Named> at_rest = {
        {"woke", Kind::woke}, {"rejected", Kind::rejected}, {"seal", Kind::seal}};
    static const std::vector<Named> canary = {{"canary", Kind::canary}};
    static const std::vector<Named> compared = {{"compared", Kind::compared}};
    static const std::vector<Named> disk = {
        {"disk", Kind::disk}, {"no_secret", Kind::no_secret}, {"no_turn", Kind::no_turn}};
    static const std::vector<Named> written = {{"written", Kind::written}};
    static const std::vector<Named> over = {{"ended", Kind::ended}, {"not_sent", Kind::not_sent}};
    static const std::vector<Named> landed = {{"landed", Kind::landed}};
    static const std::vector<Named> committed = {{"committed", Kind::committed}, {"unstorable", Kind::unstorable}};
    switch (state) {
    case State::resting: return at_rest;
    case State::proving:
    case State::fitting:
    case State::consulting:
    case State::measuring: return canary;
    case State::comparing: return compared;
    case State::preparing: return disk;
    case State::intending:
    case State::judging: return written;
    case State::exchanging: return over;
    case State::landing: return landed;
    case State::committing: return committed;
    }
    std::abort();
}

const char* name_of(Act action)
{
    switch (action) {
    case Act::rest: return "rest";
    case Act::ask_canary: return "ask_canary";
    case Act::ask_wrong_token: return "ask_wrong_token";
    case Act::ask_refuser: return "ask_refuser";
    case Act::ask_old_token: return "ask_old_token";
    case Act::reread: return "reread";
    case Act::probe_disk: return "probe_disk";
    case Act::write_intent: return "write_intent";
    case Act::exchange: return "exchange";
    case Act::land: return "land";
    case Act::commit: return "commit";
    case Act::commit_rest: return "commit_rest";
    case Act::restore_kept: return "restore_kept";
    case Act::write_verdict: return "write_verdict";
    }
    std::abort();
}

// Chance with a seed: lives of a token set, in which all that can be answered is.
class Explorer {
public:
    std::set<TableStep> explore(int lives)
    {
        for (int life = 0; life < lives; ++life) {
            live();
        }
        return std::move(steps_);
    }

private:
    bool maybe(int percent = 50) { return pick(99) < percent; }
    int pick(int most) { return std::uniform_int_distribution<int>(0, most)(random_); }

    std::optional<bool> perhaps() { return maybe(30) ? std::nullopt : std::optional(maybe()); }

    Holding holding(BootTime now)
    {
        Holding holding;
        holding.generation = ++generation_;
        holding.access = maybe(90);
        holding.refresh = maybe(90);
        holding.issued = now;
        holding.lifetime = 168h;
        holding.has_kept = maybe(10);
        return holding;
    }

    Machine::Start start()
    {
        Machine::Start start;
        start.holding = holding(start_time);
        start.learned.canary_refuses = perhaps();
        start.canary_tried_at = start_time;
        start.learned.old_token_dies = perhaps();
        start.copied = maybe(5);
        return start;
    }

    Machine::Event event(Kind kind, BootTime now)
    {
        Machine::Event event;
        event.kind = kind;
        event.now = now;
        event.canary = static_cast<CanaryAnswer>(pick(static_cast<int>(CanaryAnswer::unreachable)));
        event.says_expired = maybe();
        event.has_refuser = maybe();
        event.newer = maybe(20) ? std::optional(holding(now)) : std::nullopt;
        event.evidence = maybe();
        event.copies = maybe(80) ? 2 : pick(1);
        event.answer = static_cast<AnswerClass>(pick(static_cast<int>(AnswerClass::unclear)));
        event.ambiguity = static_cast<Ambiguity>(pick(static_cast<int>(Ambiguity::unread_set)));
        event.access_survived = maybe();
        event.retry_after = maybe() ? Duration(0) : Duration(90s);
        event.holding = holding(now);
        return event;
    }

    void live()
    {
        static const std::vector<Duration> pauses = {0s, 1s, 30s, 61s, 10min, 3h, 24h, 90h};
        Machine machine(start());
        auto now = start_time;
        Machine::Action last = machine.rest_now();
        for (int step = 0; step < 60; ++step) {
            // Most alarms go off when they should; what is asked is answered soon.
            const bool rests = machine.state() == State::resting;
            now = rests && last.until && maybe(70) ? std::max(now, *last.until)
                                                   : now + pauses[static_cast<std::size_t>(pick(rests ? 7 : 2))];
            const auto& answers = answers_to(machine.state());
            const auto& chosen = maybe(70)
                                     ? answers.front()
                                     : answers[static_cast<std::size_t>(pick(static_cast<int>(answers.size()) - 1))];
            const std::string before = to_string(machine.state());
            last = machine.resume(event(chosen.second, now));
            steps_.insert({before, chosen.first, to_string(machine.state()), name_of(last.kind)});
        }
    }

    std::mt19937_64 random_{42};
    std::uint64_t generation_ = 0;
    std::set<TableStep> steps_;
};

}  // namespace

TEST_CASE("the table in the header of the refresh machine holds every step that the machine makes, and no other")
{
    std::set<std::string> events;
    for (int state = 0; state <= static_cast<int>(State::measuring); ++state) {
        for (const auto& [name, kind] : answers_to(static_cast<State>(state))) {
            events.insert(name);
        }
    }
    const auto table = steps_of_table("daemon/oauth/machine/refresh_machine.hpp", events);
    CHECK(compare_steps(table, Explorer().explore(20'000)) == "");
}

}  // namespace shelfd::oauth

#include "control/hooks/incident_book.hpp"

#include "control/sample_status.hpp"
#include "support/catch.hpp"

namespace shelfd::control {
namespace {

using namespace std::chrono_literals;

Cause cause_of(std::vector<std::string> libraries, Severity severity = Severity::ticket)
{
    Cause cause;
    cause.key = "service https://api.example.com";
    cause.kind = CauseKind::service;
    cause.severity = severity;
    for (auto& library : libraries) {
        Affected affected;
        affected.library = std::move(library);
        cause.affected.push_back(std::move(affected));
    }
    return cause;
}

HookRule rule_of(std::string name, Duration after = 10min)
{
    HookRule rule;
    rule.name = std::move(name);
    rule.after = after;
    return rule;
}

// A book after its first minutes, with one hook.
struct Bench {
    IncidentBook book{sample_now - 1h};
    std::vector<HookRule> rules = {rule_of("mail")};
    Instant now = sample_now;

    std::vector<std::string> tell(const std::vector<Cause>& causes, Duration later = Duration(0))
    {
        now = now + later;
        std::vector<std::string> told;
        for (const auto& one : book.update(causes, rules, now)) {
            told.push_back(one.hook + " " + std::string(to_string(one.event)));
            last = one;
        }
        return told;
    }

    Announcement last = {};
};

using Told = std::vector<std::string>;

TEST_CASE("a cause is announced once it has lasted, once, and again after `repeat`")
{
    Bench bench;
    const std::vector<Cause> causes = {cause_of({"antwerp"})};
    CHECK(bench.tell(causes).empty());
    CHECK(bench.tell(causes, 9min).empty());
    CHECK(bench.tell(causes, 1min) == Told{"mail opened"});
    const auto id = bench.last.incident.id;
    CHECK(bench.tell(causes, 1min).empty());
    CHECK(bench.tell(causes, 3h + 58min).empty());
    CHECK(bench.tell(causes, 1min) == Told{"mail repeated"});
    CHECK(bench.last.incident.id == id);
    CHECK(bench.tell(causes, 4h) == Told{"mail repeated"});
}

TEST_CASE("what has lasted before the hook was there is announced at once")
{
    Bench bench;
    auto cause = cause_of({"antwerp"});
    cause.since = sample_now - 48h;
    CHECK(bench.tell({cause}) == Told{"mail opened"});
    CHECK(bench.last.incident.opened == sample_now - 48h);
}

TEST_CASE("the end of what was announced is announced, with the same id, after it has stayed away")
{
    Bench bench;
    CHECK(bench.tell({cause_of({"antwerp"})}).empty());
    CHECK(bench.tell({cause_of({"antwerp"})}, 10min) == Told{"mail opened"});
    const auto id = bench.last.incident.id;
    CHECK(bench.tell({}, 1min).empty());
    CHECK(bench.tell({}, 1min).empty());
    CHECK(bench.tell({}, 1min) == Told{"mail recovered"});
    CHECK(bench.last.incident.id == id);
    CHECK(bench.last.incident.cause.affected.front().library == "antwerp");
    CHECK(bench.tell({}, 1min).empty());
}

TEST_CASE("the end of what nobody was told is announced to nobody")
{
    Bench bench;
    CHECK(bench.tell({cause_of({"antwerp"})}).empty());
    CHECK(bench.tell({}, 1min).empty());
    CHECK(bench.tell({}, 5min).empty());
    CHECK(bench.book.record().open.empty());
}

TEST_CASE("a cause that comes and goes is announced ever less often")
{
    Bench bench;
    bench.rules = {rule_of("mail", 0min)};
    std::size_t calls = 0;
    for (int minute = 0; minute < 24 * 60; ++minute) {
        // Three minutes there, three minutes gone.
        const bool is_there = minute / 3 % 2 == 0;
        calls += bench.tell(is_there ? std::vector<Cause>{cause_of({"antwerp"})} : std::vector<Cause>{}, 1min).size();
    }
    // 240 times it came. One opening, and after the first return it has to stay away for longer than it does.
    CHECK(calls >= 3);
    CHECK(calls <= 12);
}

TEST_CASE("what comes back within an hour keeps its id, later it gets another one")
{
    Bench bench;
    bench.rules = {rule_of("mail", 0min)};
    CHECK(bench.tell({cause_of({"antwerp"})}) == Told{"mail opened"});
    const auto id = bench.last.incident.id;
    CHECK(bench.tell({}, 1min).empty());
    CHECK(bench.tell({}, 2min) == Told{"mail recovered"});
    CHECK(bench.tell({cause_of({"antwerp"})}, 10min) == Told{"mail opened"});
    CHECK(bench.last.incident.id == id);
    CHECK(bench.tell({}, 1min).empty());
    CHECK(bench.tell({}, 3min).empty());  // twice as long as the first time
    CHECK(bench.tell({}, 1min) == Told{"mail recovered"});
    CHECK(bench.tell({}, 2h).empty());
    CHECK(bench.tell({cause_of({"antwerp"})}) == Told{"mail opened"});
    CHECK(bench.last.incident.id != id);
}

TEST_CASE("what gets worse is announced at once, what gets better is not")
{
    Bench bench;
    bench.rules = {rule_of("mail", 0min)};
    CHECK(bench.tell({cause_of({"antwerp"})}) == Told{"mail opened"});
    CHECK(bench.tell({cause_of({"antwerp"}, Severity::page)}, 1min) == Told{"mail escalated"});
    CHECK(bench.tell({cause_of({"antwerp"}, Severity::ticket)}, 1min).empty());
    CHECK(bench.tell({cause_of({"antwerp"}, Severity::page)}, 1min).empty());
}

TEST_CASE("a hook hears of what it wants: severities, causes, libraries")
{
    Bench bench;
    bench.rules = {rule_of("pages", 0min), rule_of("causes", 0min), rule_of("ghent", 0min), rule_of("infos", 0min)};
    bench.rules[0].on = {"page"};
    bench.rules[1].on = {"service"};
    bench.rules[2].libraries = {"ghent"};
    bench.rules[3].on = {"info"};
    CHECK(bench.tell({cause_of({"antwerp"})}) == Told{"causes opened"});
    CHECK(bench.tell({cause_of({"antwerp", "ghent"})}, 1min) == Told{"ghent opened"});
    REQUIRE(bench.last.incident.cause.affected.size() == 1);
    CHECK(bench.last.incident.cause.affected.front().library == "ghent");
    CHECK(bench.tell({cause_of({"antwerp"}, Severity::page)}, 1min) == Told{"pages opened", "causes escalated"});
    CHECK(bench.tell({}, 1min).empty());
    CHECK(bench.tell({}, 2min) == Told{"pages recovered", "causes recovered", "ghent recovered"});
}

TEST_CASE("a hook for some libraries hears of the trouble of the daemon itself")
{
    Bench bench;
    bench.rules = {rule_of("ghent", 0min)};
    bench.rules[0].libraries = {"ghent"};
    CHECK(bench.tell({cause_of({""})}) == Told{"ghent opened"});
}

TEST_CASE("silence keeps new announcements of a library back, and lets the end through")
{
    Bench bench;
    bench.rules = {rule_of("mail", 0min)};
    bench.book.silence("antwerp", bench.now + 2h, bench.now);
    CHECK(bench.tell({cause_of({"antwerp"})}).empty());
    bench.rules.push_back(rule_of("antwerp", 0min));
    bench.rules[1].libraries = {"antwerp"};                                            // sees no other library
    CHECK(bench.tell({cause_of({"antwerp", "ghent"})}, 1min) == Told{"mail opened"});  // ghent is not silenced
    bench.rules.pop_back();
    CHECK(bench.tell({cause_of({"antwerp"})}, 5h) == Told{"mail repeated"});  // the silence is over
    bench.book.silence("antwerp", bench.now + 2h, bench.now);
    CHECK(bench.tell({cause_of({"antwerp"}, Severity::page)}, 1min).empty());
    CHECK(bench.tell({}, 1min).empty());
    CHECK(bench.tell({}, 2min) == Told{"mail recovered"});
    CHECK_FALSE(bench.book.record().silences.empty());
    bench.book.silence("antwerp", bench.now, bench.now);
    CHECK(bench.book.record().silences.empty());
}

TEST_CASE("an event is announced once and is never over")
{
    Bench bench;
    auto event = cause_of({"antwerp"});
    event.momentary = true;
    event.since = sample_now - 3h;
    bench.rules = {rule_of("mail", 0min)};
    CHECK(bench.tell({event}) == Told{"mail opened"});
    CHECK(bench.tell({event}, 5h).empty());
    CHECK(bench.tell({}, 1h).empty());
    CHECK(bench.book.record().open.size() == 1);
    CHECK(bench.tell({}, 24h).empty());
    CHECK(bench.book.record().open.empty());
}

TEST_CASE("after a start nothing is over before passes can have been made")
{
    Bench before;
    before.rules = {rule_of("mail", 0min)};
    CHECK(before.tell({cause_of({"antwerp"})}) == Told{"mail opened"});
    Bench after;
    after.book = IncidentBook(before.book.record(), sample_now + 1min);
    after.now = sample_now + 1min;
    CHECK(after.tell({}).empty());
    CHECK(after.tell({}, 9min).empty());
    CHECK(after.tell({cause_of({"antwerp"})}, 30s).empty());  // told before the restart
    CHECK(after.tell({}, 30s).empty());
    CHECK(after.tell({}, 5min) == Told{"mail recovered"});
}

TEST_CASE("what the same process has seen is over soon after a start, too, and sooner where somebody has to act")
{
    Bench bench;
    bench.book = IncidentBook(bench.now);
    bench.rules = {rule_of("mail", 0min)};
    auto lost = cause_of({"antwerp"});
    lost.key = "token_lost antwerp";
    lost.kind = CauseKind::token_lost;
    const auto failing = cause_of({"antwerp"});
    CHECK(bench.tell({lost, failing}) == Told{"mail opened", "mail opened"});
    CHECK(bench.tell({}, 15s).empty());
    CHECK(bench.tell({}, 20s) == Told{"mail recovered"});
    CHECK(bench.last.incident.cause.kind == CauseKind::token_lost);
    CHECK(bench.tell({}, 100s) == Told{"mail recovered"});
}

TEST_CASE("a book says once that it has changed")
{
    Bench bench;
    CHECK_FALSE(bench.book.take_changed());
    CHECK(bench.tell({cause_of({"antwerp"})}).empty());
    CHECK(bench.book.take_changed());
    CHECK(bench.tell({cause_of({"antwerp"})}, 1min).empty());
    CHECK_FALSE(bench.book.take_changed());
    CHECK(bench.tell({cause_of({"antwerp"})}, 9min).size() == 1);
    CHECK(bench.book.take_changed());
}

TEST_CASE("a wall clock that is set back keeps no hook silent for longer than `repeat`")
{
    Bench bench;
    bench.rules = {rule_of("mail", 0min)};
    CHECK(bench.tell({cause_of({"antwerp"})}).size() == 1);
    bench.now = bench.now - 24h * 365;
    CHECK(bench.tell({cause_of({"antwerp"})}).empty());
    CHECK(bench.tell({cause_of({"antwerp"})}, 4h) == Told{"mail repeated"});
}

TEST_CASE("the book is bounded")
{
    Bench bench;
    std::vector<Cause> causes;
    for (std::size_t i = 0; i < IncidentBook::max_open + 10; ++i) {
        causes.push_back(cause_of({"antwerp"}));
        causes.back().key = std::to_string(i);
    }
    [[maybe_unused]] const auto told = bench.tell(causes);
    CHECK(bench.book.record().open.size() == IncidentBook::max_open);
}

}  // namespace
}  // namespace shelfd::control

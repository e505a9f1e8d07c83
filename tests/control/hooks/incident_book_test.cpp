#include "control/hooks/incident_book.hpp"

#include "control/sample_status.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <set>

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

    // Each call is made at once, unless `makes_calls` is off: then it waits.
    std::vector<std::string> tell(const std::vector<Cause>& causes, Duration later = Duration(0))
    {
        now = now + later;
        std::vector<std::string> told;
        for (const auto& one : book.update(causes, rules, now, waiting, looked)) {
            told.push_back(one.hook + " " + std::string(to_string(one.event)));
            last = one;
            if (!makes_calls) {
                waiting.insert({one.hook, one.incident.id});
            } else if (one.event != CallEvent::recovered) {
                const auto& rule = *std::find_if(rules.begin(), rules.end(),
                                                 [&one](const HookRule& each) { return each.name == one.hook; });
                CHECK(book.tell(rule, one.incident.id, one.event, now));
            }
        }
        return told;
    }
    // For so long, every 15 seconds.
    std::vector<std::string> tell_for(const std::vector<Cause>& causes, Duration length)
    {
        std::vector<std::string> told;
        for (Duration passed{0}; passed < length; passed += 15s) {
            for (auto& one : tell(causes, 15s)) {
                told.push_back(std::move(one));
            }
        }
        return told;
    }

    Announcement last = {};
    bool makes_calls = true;
    IncidentBook::Waiting waiting = {};
    IncidentBook::Looked looked = {};
};

Affected affected_of(std::string library, std::vector<std::string> tables, std::string why)
{
    Affected affected;
    affected.library = std::move(library);
    affected.tables = std::move(tables);
    affected.why = std::move(why);
    return affected;
}

std::vector<std::string> names_of(const std::vector<Affected>& affected)
{
    std::vector<std::string> names;
    for (const auto& one : affected) {
        names.push_back(one.library);
        names.insert(names.end(), one.tables.begin(), one.tables.end());
    }
    return names;
}

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

TEST_CASE("what is over when its time to be announced comes is not announced")
{
    Bench bench;
    CHECK(bench.tell({cause_of({"antwerp"})}).empty());
    CHECK(bench.tell({cause_of({"antwerp"})}, 9min + 50s).empty());
    CHECK(bench.tell({}, 15s).empty());
    CHECK(bench.tell({}, 10min).empty());
    CHECK(bench.book.record().open.empty());
}

TEST_CASE("what was announced and is absent is neither repeated nor changed until it is back")
{
    Bench bench;
    CHECK(bench.tell({cause_of({"antwerp"})}).empty());
    CHECK(bench.tell({cause_of({"antwerp"})}, 10min) == Told{"mail opened"});
    CHECK(bench.tell({cause_of({"antwerp"})}, 3h + 59min).empty());
    CHECK(bench.tell({}, 1min).empty());
    CHECK(bench.tell({cause_of({"antwerp"})}, 15s) == Told{"mail repeated"});
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

TEST_CASE("what was announced and is over is remembered for a week, what nobody was told for an hour")
{
    const bool is_told = GENERATE(true, false);
    CAPTURE(is_told);
    Bench bench;
    bench.rules = {rule_of("mail", is_told ? 0min : 60min)};
    CHECK(bench.tell({cause_of({"antwerp", "ghent"})}) == (is_told ? Told{"mail opened"} : Told{}));
    CHECK(bench.tell({}, 1min).empty());
    CHECK(bench.tell({}, 2min) == (is_told ? Told{"mail recovered"} : Told{}));
    const auto& closed = bench.book.record().closed;
    REQUIRE(closed.size() == 1);
    CHECK(closed.front().cause.affected.front().why == cause_of({"antwerp"}).affected.front().why);
    REQUIRE(closed.front().cause.affected.size() == 2);
    CHECK(closed.front().cause.affected.back().library == "ghent");
    CHECK(closed.front().cause.affected.back().why.empty());
    const auto id = closed.front().id;
    CHECK(bench.tell({}, 59min).empty());
    CHECK(closed.size() == (is_told ? 1 : 0));
    // Back later than within an hour, it is another incident.
    CHECK(bench.tell({cause_of({"antwerp"})}, 2h) == (is_told ? Told{"mail opened"} : Told{}));
    CHECK(bench.book.record().open.front().id != id);
    CHECK(bench.tell({}, 1min).empty());
    CHECK(bench.tell({}, 2min) == (is_told ? Told{"mail recovered"} : Told{}));
    CHECK(closed.size() == (is_told ? 2 : 1));
    CHECK(bench.tell({}, 6 * 24h).empty());
    CHECK(closed.size() == (is_told ? 2 : 0));
    CHECK(bench.tell({}, 24h).empty());
    CHECK(closed.empty());
}

TEST_CASE("of what was over an hour ago, the latest fifty are remembered, and all that may come back")
{
    Bench bench;
    bench.rules = {rule_of("mail", 0min)};
    std::string last;
    for (int turn = 0; turn < 60; ++turn) {
        REQUIRE(bench.tell({cause_of({"antwerp"})}, 90min) == Told{"mail opened"});
        last = bench.last.incident.id;
        CHECK(bench.tell({}, 1min).empty());
        REQUIRE(bench.tell({}, 2min) == Told{"mail recovered"});
    }
    const auto& closed = bench.book.record().closed;
    CHECK(closed.size() == IncidentBook::max_remembered + 1);
    CHECK(closed.back().id == last);
    std::vector<Cause> many;
    for (int i = 0; i < 80; ++i) {
        many.push_back(cause_of({"library" + std::to_string(i)}));
        many.back().key += std::to_string(i);
    }
    CHECK(bench.tell(many).size() == 80);
    CHECK(bench.tell({}, 1min).empty());
    CHECK(bench.tell({}, 2min).size() == 80);
    CHECK(closed.size() == IncidentBook::max_remembered + 81);
    const auto ids = bench.book.record().last_number;
    CHECK(bench.tell(many, 10min).size() == 80);
    CHECK(bench.book.record().last_number == ids);  // each has come back with its id
    CHECK(bench.tell({}, 1min).empty());
    CHECK(bench.tell({}, 5min).size() == 80);
    CHECK(bench.tell({}, 2h).empty());
    CHECK(closed.size() == IncidentBook::max_remembered);
}

TEST_CASE("what is over is remembered for who was told of it, also when all of that was over before, and of an event")
{
    Bench bench;
    bench.rules = {rule_of("mail", 0min)};
    bench.rules.front().libraries = {"antwerp"};
    REQUIRE(bench.tell({cause_of({"antwerp", "ghent"})}) == Told{"mail opened"});
    const auto id = bench.last.incident.id;
    CHECK(bench.tell({cause_of({"ghent"})}, 30min) == Told{"mail recovered"});
    CHECK(bench.tell({}, 1min).empty());
    CHECK(bench.tell({}, 3min).empty());
    const auto& closed = bench.book.record().closed;
    CHECK(bench.tell({}, 5h).empty());
    REQUIRE(closed.size() == 1);
    CHECK(closed.front().id == id);
    bench.book.follow({{"gent", "ghent"}});
    REQUIRE(closed.front().cause.affected.size() == 2);
    CHECK(closed.front().cause.affected.front().library == "antwerp");
    CHECK(closed.front().cause.affected.back().library == "gent");
    auto event = cause_of({"antwerp"});
    event.momentary = true;
    event.key = "event";
    REQUIRE(bench.tell({event}, 1min) == Told{"mail opened"});
    CHECK(bench.tell({}, 25h).empty());
    REQUIRE(closed.size() == 2);
    CHECK(closed.back().clear_since == closed.back().opened);
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

Cause unread(CauseKind kind, std::vector<Affected> affected)
{
    Cause cause;
    cause.key = std::string(to_string(kind)) + " https://api.example.com";
    cause.kind = kind;
    cause.severity = kind == CauseKind::service ? Severity::info : Severity::ticket;
    cause.affected = std::move(affected);
    return cause;
}

TEST_CASE("trouble of tables that turns out to be of another kind is one incident, over when the tables are well")
{
    const auto former = GENERATE(CauseKind::service, CauseKind::network, CauseKind::late);
    Bench bench;
    bench.rules = {rule_of("mail", 0min)};
    bench.rules.front().on = {"page", "ticket", "info"};
    const std::vector<Affected> both = {affected_of("antwerp", {"recipes"}, "the service has no such list (404)"),
                                        affected_of("ghent", {"recipes"}, "the service has no such list (404)")};
    auto first = unread(former, both);
    first.severity = Severity::info;
    CHECK(bench.tell({first}) == Told{"mail opened"});
    const auto id = bench.last.incident.id;
    const auto wrong = unread(CauseKind::configuration, both);
    CHECK(bench.tell({wrong}, 1min) == Told{"mail escalated"});
    CHECK(bench.last.incident.id == id);
    CHECK(bench.last.incident.cause.kind == CauseKind::configuration);
    CHECK(bench.tell_for({wrong}, 1h).empty());
    CHECK(bench.book.record().open.size() == 1);
    CHECK(bench.tell_for({}, 3min) == Told{"mail recovered"});
    CHECK(bench.last.incident.id == id);
}

TEST_CASE("an incident takes the place of one that nobody was told of")
{
    Bench bench;
    bench.rules = {rule_of("mail", 10min)};
    bench.rules.front().on = {"page", "ticket", "info"};
    const auto recipes = affected_of("antwerp", {"recipes"}, "404");
    const auto stock = affected_of("ghent", {"recipes"}, "404");
    const auto outage = [](std::vector<Affected> affected) { return unread(CauseKind::service, std::move(affected)); };
    CHECK(bench.tell({outage({recipes, stock})}).empty());
    CHECK(bench.tell({outage({recipes, stock})}, 10min) == Told{"mail opened"});
    const auto id = bench.last.incident.id;
    // One table after the other needs a person.
    CHECK(bench.tell({outage({stock}), unread(CauseKind::configuration, {recipes})}, 1min).empty());
    CHECK(bench.book.record().open.size() == 2);
    CHECK(bench.tell({unread(CauseKind::configuration, {recipes, stock})}, 1min) == Told{"mail escalated"});
    CHECK(bench.last.incident.id == id);
    CHECK(bench.book.record().open.size() == 1);
}

TEST_CASE("an incident whose tables belong to another one is silent, and over when they are well")
{
    Bench bench;
    bench.rules = {rule_of("mail", 0min)};
    bench.rules.front().on = {"page", "ticket", "info"};
    const auto recipes = affected_of("antwerp", {"recipes"}, "404");
    const auto stock = affected_of("antwerp", {"stock"}, "404");
    const auto both = affected_of("antwerp", {"recipes", "stock"}, "404");
    CHECK(bench.tell({unread(CauseKind::service, {both})}) == Told{"mail opened"});
    CHECK(bench.tell({unread(CauseKind::service, {stock}), unread(CauseKind::configuration, {recipes})}, 1min) ==
          Told{"mail opened"});
    for (const auto& told : bench.tell_for({unread(CauseKind::configuration, {both})}, 3h)) {
        CHECK(told == "mail changed");  // the table that joined
    }
    CHECK(bench.book.record().open.size() == 2);
    CHECK(bench.tell_for({unread(CauseKind::configuration, {recipes})}, 3min) == Told{"mail recovered"});
    CHECK(bench.last.incident.cause.kind == CauseKind::service);
    CHECK(names_of(bench.last.incident.cause.affected) == Told{"antwerp", "stock"});  // recipes are not well yet
    CHECK(bench.tell_for({}, 3min) == Told{"mail recovered"});
    CHECK(bench.last.incident.cause.kind == CauseKind::configuration);
}

TEST_CASE("what nobody was told of is not kept for tables that belong to another incident")
{
    Bench bench;
    bench.rules = {rule_of("mail", 0min)};
    const auto recipes = affected_of("antwerp", {"recipes"}, "404");
    const auto stock = affected_of("antwerp", {"stock"}, "404");
    CHECK(bench.tell({unread(CauseKind::service, {stock}), unread(CauseKind::configuration, {recipes})}) ==
          Told{"mail opened"});  // info calls no hook
    const auto wrong =
        unread(CauseKind::configuration, {affected_of("antwerp", {"recipes", "stock"}, "the service has none (404)")});
    CHECK(bench.book.record().open.size() == 2);
    for (const auto& told : bench.tell_for({wrong}, 3min)) {
        CHECK(told == "mail changed");
    }
    CHECK(bench.book.record().open.size() == 1);
}

TEST_CASE("of several causes that tables of an incident have then, it becomes one, and its end names no other table")
{
    Bench bench;
    bench.rules = {rule_of("mail", 0min)};
    bench.rules.front().on = {"page", "ticket", "info"};
    const auto both = affected_of("antwerp", {"recipes", "stock"}, "502");
    CHECK(bench.tell({unread(CauseKind::service, {both})}) == Told{"mail opened"});
    const auto id = bench.last.incident.id;
    const auto missing = unread(CauseKind::configuration, {affected_of("antwerp", {"recipes"}, "404")});
    const auto keys = unread(CauseKind::key_drift, {affected_of("antwerp", {"stock"}, "no id")});
    CHECK(bench.tell({missing, keys}, 1min) == Told{"mail escalated", "mail opened"});
    CHECK(bench.book.record().open.front().id == id);
    CHECK(bench.book.record().open.front().cause.kind == CauseKind::configuration);
    CHECK(bench.tell_for({keys}, 3min) == Told{"mail recovered"});
    CHECK(bench.last.incident.id == id);
    CHECK(names_of(bench.last.incident.cause.affected) == Told{"antwerp", "recipes"});
    CHECK(bench.tell_for({}, 3min) == Told{"mail recovered"});
    CHECK(names_of(bench.last.incident.cause.affected) == Told{"antwerp", "stock"});
}

TEST_CASE("tables that were well, or of which one is well, have another incident the next time")
{
    Bench bench;
    bench.rules = {rule_of("mail", 0min)};
    bench.rules.front().on = {"page", "ticket", "info"};
    const auto outage = unread(CauseKind::service,
                               {affected_of("antwerp", {"recipes"}, "502"), affected_of("ghent", {"recipes"}, "502")});
    auto wrong = unread(CauseKind::configuration, {affected_of("antwerp", {"recipes"}, "404")});
    CHECK(bench.tell({outage}) == Told{"mail opened"});
    const auto id = bench.last.incident.id;
    SECTION("all were well")
    {
        CHECK(bench.tell({}, 1min).empty());
        wrong.affected.push_back(affected_of("ghent", {"recipes"}, "404"));
    }
    SECTION("one is well") {}
    SECTION("they are affected by what does not keep lists from being read")
    {
        wrong.kind = CauseKind::column_drift;
        wrong.affected.push_back(affected_of("ghent", {"recipes"}, "a column of numbers"));
    }
    CHECK(bench.tell({wrong}, 30s) == Told{"mail opened"});
    CHECK(bench.last.incident.id != id);
    CHECK(bench.tell_for({wrong}, 3min) == Told{"mail recovered"});
    CHECK(bench.last.incident.id == id);
}

TEST_CASE("a filter that is not obeyed stays one incident when its reason becomes another one")
{
    Bench bench;
    bench.rules = {rule_of("mail", 0min)};
    const auto recipes = affected_of("antwerp", {"recipes"}, "the service ignores the filter");
    CHECK(bench.tell({unread(CauseKind::filter, {recipes})}) == Told{"mail opened"});
    const auto id = bench.last.incident.id;
    auto next = unread(CauseKind::filter, {recipes});
    next.key += " refuses";
    // After a start, too: an earlier version had another key.
    IncidentBook again(bench.book.record(), bench.now);
    bench.book = std::move(again);
    CHECK(bench.tell_for({next}, 1h).empty());
    REQUIRE(bench.book.record().open.size() == 1);
    CHECK(bench.book.record().open.front().id == id);
}

TEST_CASE("the end names every library and table since the first call, and so does what is remembered of it")
{
    Bench bench;
    bench.rules = {rule_of("mail", 0min)};
    std::vector<Affected> many;
    for (int i = 0; i < 383; ++i) {
        many.push_back(affected_of("lib" + std::to_string(i), {"recipes"}, "502"));
    }
    CHECK(bench.tell({unread(CauseKind::late, many)}) == Told{"mail opened"});
    auto left = affected_of("lib7", {"stock"}, "503");
    CHECK(bench.tell_for({unread(CauseKind::late, {left})}, 2min) == Told{"mail changed"});
    CHECK(bench.tell_for({}, 3min) == Told{"mail recovered"});
    const auto& affected = bench.last.incident.cause.affected;
    REQUIRE(affected.size() == 383);
    CHECK(affected.front().why == "503");
    CHECK(affected[6].library == "lib6");
    CHECK(affected[7].tables == std::vector<std::string>{"stock", "recipes"});
    const auto& closed = bench.book.record().closed.front();
    CHECK(closed.library_count == 383);
    CHECK(closed.cause.affected.size() == 100);
    CHECK(closed.cause.affected.front().why == "503");
    CHECK(closed.named.empty());
}

TEST_CASE("a full disk that each table says in its own words is no news, nor are other numbers of held rows")
{
    Bench bench;
    bench.rules = {rule_of("mail", 0min)};
    auto full = unread(CauseKind::disk, {affected_of("antwerp", {"recipes"}, "database or disk is full")});
    full.affected.front().do_this = "make room on the disk of /mirrors: df -h /mirrors";
    auto held = unread(CauseKind::held, {affected_of("antwerp", {"recipes", "stock"}, "5 rows of 2 tables are held")});
    CHECK(bench.tell({full, held}) == Told{"mail opened", "mail opened"});
    full.affected.front().why = "no file can be opened: no space is left; stock: cannot write a row";
    full.affected.front().tables.emplace_back("stock");
    held.affected.front() = affected_of("antwerp", {"stock"}, "1 row of stock is held");
    CHECK(bench.tell_for({full, held}, 3h).empty());
}

TEST_CASE("a library or table that joins is announced once it was quiet for a minute, with what joined")
{
    Bench bench;
    bench.rules = {rule_of("mail", 0min)};
    auto held = cause_of({});
    held.key = "held antwerp";
    held.kind = CauseKind::held;
    held.affected = {affected_of("antwerp", {"recipes"}, "3 rows of recipes are held")};
    CHECK(bench.tell({held}) == Told{"mail opened"});
    const auto id = bench.last.incident.id;
    held.affected.front().tables.push_back("stock");
    CHECK(bench.tell_for({held}, 1min).empty());
    CHECK(bench.tell({held}, 15s) == Told{"mail changed"});
    CHECK(bench.last.incident.id == id);
    CHECK(names_of(bench.last.news) == Told{"antwerp", "stock"});
    CHECK(bench.last.incident.cause.affected.front().tables.size() == 2);
    CHECK(bench.tell_for({held}, 1h).empty());
    held.affected.push_back(affected_of("ghent", {"stock"}, "1 row of stock is held"));
    CHECK(bench.tell_for({held}, 2min) == Told{"mail changed"});
    CHECK(names_of(bench.last.news) == Told{"ghent", "stock"});
    CHECK(bench.tell_for({}, 1min) == Told{"mail recovered"});  // one for all of them
}

TEST_CASE("a reason or a cure of another kind is announced, and numbers, names and details in a sentence are none")
{
    Bench bench;
    bench.rules = {rule_of("mail", 0min)};
    auto lost = cause_of({"antwerp"});
    lost.kind = CauseKind::configuration;
    lost.affected = {affected_of("antwerp", {"recipes"}, "recipes: item 3 of a page has no key: it has [id]")};
    CHECK(bench.tell({lost}) == Told{"mail opened"});
    lost.affected.front().why = "recipes: item 17 of a page has no key: it has \"name\"";
    CHECK(bench.tell_for({lost}, 1h).empty());
    lost.affected.front().why = "the service has no such list (404); check `path`";
    CHECK(bench.tell_for({lost}, 2min) == Told{"mail changed"});
    CHECK(bench.last.news.front().why == lost.affected.front().why);
    lost.affected.front().do_this = "shelfctl sync antwerp recipes --full";
    CHECK(bench.tell_for({lost}, 10min) == Told{"mail changed"});
    lost.affected.front().why = "recipes: item 1 of a page has no key";
    CHECK(bench.tell_for({lost}, 1h) == Told{"mail changed"});  // that reason was not announced with that cure
    lost.affected.front().do_this.clear();
    CHECK(bench.tell_for({lost}, 3h).empty());  // told before
}

TEST_CASE("an outage that forty libraries join one by one is two calls, then few")
{
    Bench bench;
    bench.rules = {rule_of("mail", 0min)};
    std::vector<std::string> libraries;
    std::vector<std::string> told;
    for (int i = 0; i < 40; ++i) {
        libraries.push_back("library_" + std::to_string(i));
        for (auto& one : bench.tell({cause_of(libraries)}, 5s)) {
            told.push_back(std::move(one));
        }
    }
    for (auto& one : bench.tell_for({cause_of(libraries)}, 3h)) {
        told.push_back(std::move(one));
    }
    CHECK(told == Told{"mail opened", "mail changed"});
    CHECK(bench.last.news.size() == 39);
    // The answers of a service that fails differ, and that is no news.
    auto other = cause_of(libraries);
    other.affected.front().why = "the service answered 503";
    CHECK(bench.tell_for({other}, 30min).empty());
}

TEST_CASE("what keeps joining is announced ever less often")
{
    Bench bench;
    bench.rules = {rule_of("mail", 0min)};
    std::vector<std::string> libraries;
    std::size_t calls = 0;
    for (int minute = 0; minute < 240; ++minute) {
        libraries.push_back("library_" + std::to_string(minute));
        calls += bench.tell({cause_of(libraries)}, 1min).size();
    }
    CHECK(calls >= 4);
    CHECK(calls <= 9);
}

TEST_CASE("a library that leaves an incident and comes back soon is no news, after an hour it is")
{
    Bench bench;
    bench.rules = {rule_of("mail", 0min)};
    CHECK(bench.tell({cause_of({"antwerp", "ghent"})}) == Told{"mail opened"});
    CHECK(bench.tell_for({cause_of({"antwerp"})}, 30min).empty());
    CHECK(bench.tell_for({cause_of({"antwerp", "ghent"})}, 30min).empty());
    CHECK(bench.tell_for({cause_of({"antwerp"})}, 61min).empty());
    CHECK(bench.tell_for({cause_of({"antwerp", "ghent"})}, 2min) == Told{"mail changed"});
}

TEST_CASE("while a call was not tried yet, nothing is announced but that it is worse, and the call says all")
{
    Bench bench;
    bench.rules = {rule_of("mail", 0min)};
    bench.makes_calls = false;
    CHECK(bench.tell({cause_of({"antwerp"})}) == Told{"mail opened"});
    const auto id = bench.last.incident.id;
    CHECK(bench.tell_for({cause_of({"antwerp", "ghent"})}, 1h).empty());
    CHECK(bench.tell({cause_of({"antwerp", "ghent"}, Severity::page)}, 15s) == Told{"mail escalated"});
    const auto made = bench.book.tell(bench.rules.front(), id, CallEvent::opened, bench.now);
    REQUIRE(made);
    CHECK(names_of(made->incident.cause.affected) == Told{"antwerp", "ghent"});
    CHECK(made->incident.cause.severity == Severity::page);
    bench.waiting.clear();
    CHECK(bench.tell_for({cause_of({"antwerp", "ghent"}, Severity::page)}, 1h).empty());
    CHECK_FALSE(bench.book.tell(bench.rules.front(), "another", CallEvent::opened, bench.now));
    CHECK_FALSE(bench.book.tell(rule_of("chat"), id, CallEvent::opened, bench.now));
}

TEST_CASE("a silenced library that joins is announced when its silence is over")
{
    Bench bench;
    bench.rules = {rule_of("mail", 0min)};
    CHECK(bench.tell({cause_of({"antwerp"})}) == Told{"mail opened"});
    bench.book.silence("ghent", bench.now + 1h, bench.now);
    CHECK(bench.tell_for({cause_of({"antwerp", "ghent"})}, 59min).empty());
    CHECK(bench.tell_for({cause_of({"antwerp", "ghent"})}, 3min) == Told{"mail changed"});
}

TEST_CASE("after a start the libraries of before belong to the incident until their passes can have been made")
{
    Bench before;
    before.rules = {rule_of("mail", 0min)};
    before.makes_calls = false;
    CHECK(before.tell({cause_of({"antwerp", "ghent", "hasselt"})}) == Told{"mail opened"});
    const auto id = before.last.incident.id;
    Bench after;
    after.rules = before.rules;
    after.waiting = before.waiting;
    after.now = sample_now + 1min;
    after.book = IncidentBook(before.book.record(), after.now);
    CHECK(after.tell({cause_of({"ghent"})}).empty());  // the first that has failed
    CHECK(names_of(after.book.tell(after.rules.front(), id, CallEvent::opened, after.now)->incident.cause.affected) ==
          Told{"antwerp", "ghent", "hasselt"});
    after.waiting.clear();
    CHECK(after.tell_for({cause_of({"ghent", "antwerp"})}, 11min).empty());
    CHECK(names_of(after.book.record().open.front().cause.affected) == Told{"antwerp", "ghent"});
}

TEST_CASE("after a start what was left in trouble has begun when it began, for each library, until it was absent once")
{
    const auto limit_of = [](std::vector<std::string> libraries, Instant since) {
        auto cause = cause_of(std::move(libraries));
        cause.kind = CauseKind::limit;
        cause.since = since;
        for (auto& one : cause.affected) {
            one.since = since;
        }
        return cause;
    };
    Bench before;
    before.rules = {rule_of("mail", 0min)};
    auto cause = limit_of({"antwerp", "ghent"}, sample_now - 3h);
    cause.affected[1].since = sample_now - 1h;
    CHECK(before.tell({cause}) == Told{"mail opened"});
    Bench after;
    after.rules = before.rules;
    after.book = IncidentBook(before.book.record(), sample_now + 1min);
    after.now = sample_now + 1min;
    const auto& open = after.book.record().open;
    for (int look = 0; look < 3; ++look) {
        CHECK(after.tell({limit_of({"antwerp", "ghent", "hasselt"}, after.now)}, 15s).empty());
        CHECK(open.front().cause.since == sample_now - 3h);
        CHECK(open.front().cause.affected[0].since == sample_now - 3h);
        CHECK(open.front().cause.affected[1].since == sample_now - 1h);
        CHECK(open.front().cause.affected[2].since > sample_now);
    }
    CHECK(after.tell({}, 15s).empty());
    CHECK(after.tell({limit_of({"antwerp"}, after.now)}, 15s).empty());
    CHECK(open.front().cause.affected[0].since > sample_now);
}

TEST_CASE("the end has the severity and the deadline that were told last")
{
    Bench bench;
    bench.rules = {rule_of("mail", 0min)};
    auto cause = cause_of({"antwerp", "ghent"}, Severity::page);
    cause.affected[0].deadline = sample_now;
    cause.affected[1].deadline = sample_now + 2h;
    CHECK(bench.tell({cause}) == Told{"mail opened"});
    // One of them is well, the other one has time until next week.
    auto better = cause_of({"ghent"}, Severity::ticket);
    better.affected[0].deadline = sample_now + 24h * 7;
    CHECK(bench.tell({better}, 15s).empty());
    CHECK(bench.tell_for({}, 5min) == Told{"mail recovered"});
    CHECK(bench.last.incident.cause.severity == Severity::page);
    CHECK(bench.last.deadline == sample_now);
    // All whom the first call named.
    REQUIRE(names_of(bench.last.incident.cause.affected) == Told{"antwerp", "ghent"});
    CHECK(bench.last.incident.cause.affected[0].deadline == sample_now);
    CHECK(bench.last.incident.cause.affected[1].deadline == sample_now + 2h);
}

TEST_CASE("what somebody must end, was absent and is there again has begun anew, and an outage that flickers has not")
{
    Bench bench;
    bench.rules = {rule_of("mail", 0min)};
    auto lost = cause_of({"antwerp"});
    lost.key = "token_lost antwerp";
    lost.kind = CauseKind::token_lost;
    lost.since = sample_now;
    auto failing = cause_of({"antwerp"});
    failing.since = sample_now;
    CHECK(bench.tell({lost, failing}) == Told{"mail opened", "mail opened"});
    CHECK(bench.tell({}, 10s).empty());
    lost.since = sample_now + 17s;
    failing.since = lost.since;
    CHECK(bench.tell({lost, failing}, 10s).empty());
    REQUIRE(bench.book.record().open.size() == 2);
    CHECK(bench.book.record().open[0].opened == sample_now + 17s);
    CHECK(bench.book.record().open[1].opened == sample_now);
}

TEST_CASE("libraries of an incident are in the order of their numbers, those that an earlier process left, too")
{
    Bench before;
    before.rules = {rule_of("mail", 0min)};
    CHECK(before.tell({cause_of({"lib10", "lib2"})}) == Told{"mail opened"});
    Bench after;
    after.book = IncidentBook(before.book.record(), before.now + 1min);
    CHECK(after.tell({cause_of({"lib11", "lib3"})}, 1min).empty());
    CHECK(names_of(after.book.record().open.front().cause.affected) == Told{"lib2", "lib3", "lib10", "lib11"});
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

TEST_CASE("a hook for some libraries hears of the end when these are well, once, whatever lasts in others")
{
    Bench bench;
    bench.rules = {rule_of("mail", 0min), rule_of("all", 0min)};
    bench.rules[0].libraries = {"antwerp", "bruges"};
    CHECK(bench.tell({cause_of({"antwerp", "bruges", "ghent"})}) == Told{"mail opened", "all opened"});
    CHECK(bench.tell_for({cause_of({"bruges", "ghent"})}, 5min).empty());
    CHECK(bench.tell_for({cause_of({"ghent"})}, 1min).empty());
    CHECK(bench.tell_for({cause_of({"ghent"})}, 2min) == Told{"mail recovered"});
    CHECK(names_of(bench.last.incident.cause.affected) == Told{"antwerp", "bruges"});
    CHECK(bench.last.incident.clear_since < bench.now - 1min);
    CHECK(bench.tell_for({cause_of({"antwerp", "ghent"})}, 1min) == Told{"mail opened"});
    CHECK(bench.tell_for({}, 3min) == Told{"mail recovered", "all recovered"});
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

TEST_CASE("a silence that lasts longer stays, until it is ended")
{
    Bench bench;
    CHECK(bench.book.silence("antwerp", bench.now + 2h, bench.now) == bench.now + 2h);
    CHECK(bench.book.silence("antwerp", bench.now + 30s, bench.now) == bench.now + 2h);
    CHECK(bench.book.record().silences.at("antwerp") == bench.now + 2h);
    CHECK(bench.book.silence("antwerp", bench.now + 3h, bench.now) == bench.now + 3h);
    CHECK(bench.book.silence("antwerp", bench.now, bench.now) == bench.now);
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

TEST_CASE("what was absent before a restart already is over as soon after it as without one")
{
    Bench before;
    before.rules = {rule_of("mail", 0min)};
    CHECK(before.tell({cause_of({"antwerp"})}) == Told{"mail opened"});
    CHECK(before.tell({}, 30s).empty());
    Bench after;
    after.rules = before.rules;
    after.book = IncidentBook(before.book.record(), before.now + 10s);
    after.now = before.now + 10s;
    CHECK(after.tell({}).empty());
    CHECK(after.tell({}, 100s).empty());
    CHECK(after.tell({}, 15s) == Told{"mail recovered"});
}

TEST_CASE("what ended while no daemon ran is over soon after all that it affected was looked at")
{
    Bench before;
    before.rules = {rule_of("mail", 0min)};
    CHECK(before.tell({cause_of({"antwerp", "ghent"})}) == Told{"mail opened"});
    Bench after;
    after.rules = before.rules;
    after.book = IncidentBook(before.book.record(), before.now + 1min);
    after.now = before.now + 1min;
    std::set<std::string> libraries;
    after.looked = [&libraries](const Cause&, const Affected& one) { return libraries.contains(one.library); };
    CHECK(after.tell_for({}, 3min).empty());
    libraries.insert("ghent");
    CHECK(after.tell_for({}, 3min).empty());
    libraries.insert("antwerp");
    CHECK(after.tell_for({}, 2min).empty());
    CHECK(after.tell({}, 15s) == Told{"mail recovered"});
}

TEST_CASE("after a start a library that was looked at is left out of the incident, unless it is affected again")
{
    Bench before;
    before.rules = {rule_of("mail", 0min)};
    CHECK(before.tell({cause_of({"antwerp", "ghent"})}) == Told{"mail opened"});
    Bench after;
    after.rules = before.rules;
    after.book = IncidentBook(before.book.record(), before.now + 1min);
    after.looked = [](const Cause&, const Affected&) { return true; };
    CHECK(after.tell({cause_of({"ghent"})}, 1min).empty());
    CHECK(names_of(after.book.record().open.front().cause.affected) == Told{"ghent"});
    CHECK(after.tell({cause_of({"ghent", "antwerp"})}, 15s).empty());
    CHECK(names_of(after.book.record().open.front().cause.affected) == Told{"antwerp", "ghent"});
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
    CHECK(bench.tell({cause_of({"antwerp", "ghent"})}, 30s).empty());
    CHECK(bench.book.take_changed());  // a kill loses no library
    CHECK(bench.tell({cause_of({"antwerp"})}, 30s).empty());
    CHECK(bench.book.take_changed());
    CHECK(bench.tell({cause_of({"antwerp"})}, 0s).empty());
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

TEST_CASE("a wall clock that is set back makes nobody wait longer than his patience for what is not told yet")
{
    Bench bench;
    bench.rules = {rule_of("mail", 10min)};
    CHECK(bench.tell({cause_of({"antwerp"})}).empty());
    bench.now = bench.now - 24h;
    CHECK(bench.tell({cause_of({"antwerp"})}).empty());
    CHECK(bench.tell({cause_of({"antwerp"})}, 10min) == Told{"mail opened"});
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
    // Not for pages.
    causes.push_back(cause_of({"ghent"}));
    causes.back().key = "page";
    causes.back().severity = Severity::page;
    [[maybe_unused]] const auto more = bench.tell(causes);
    REQUIRE(bench.book.record().open.size() == IncidentBook::max_open + 1);
    CHECK(bench.book.record().open.back().cause.key == "page");
}

}  // namespace
}  // namespace shelfd::control

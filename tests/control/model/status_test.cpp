#include "control/model/status.hpp"

#include "control/api/reply_json.hpp"
#include "control/sample_status.hpp"
#include "support/catch.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <array>

namespace shelfd::control {
namespace {

constexpr std::array all_states = {State::retired,      State::paused,    State::wrong_library,
                                   State::needs_person, State::forbidden, State::held,
                                   State::filling,      State::late,      State::fresh};

Status with_states(State one, State other)
{
    return sample_status(
        {sample_library("antwerp", {sample_resource("recipes", one), sample_resource("stock", other)})});
}

Cause problem_of(CauseKind kind, Severity severity)
{
    Cause problem;
    problem.key = to_string(kind);
    problem.kind = kind;
    problem.severity = severity;
    problem.affected.emplace_back().library = "antwerp";
    return problem;
}

TEST_CASE("each state has a word of its own that reads back")
{
    for (const auto state : all_states) {
        INFO(to_string(state));
        CHECK(parse_table_state(to_string(state)) == state);
    }
    CHECK_FALSE(parse_table_state("stale"));
}

TEST_CASE("a library that is opened again is named, with its state from before for the exit code")
{
    auto status = fresh_status();
    const auto code = exit_code(status);
    status.libraries.back().restart = RestartStatus{"for a changed configuration", sample_now};
    CHECK(state_word(status.libraries.back()) == std::string("restarting"));
    CHECK(exit_code(status) == code);
    CHECK(headline(status).find("being opened again: ghent; ") == 0);
    const auto document = boost::json::parse(to_json(status)).as_object();
    const auto& libraries = document.at("libraries").as_array();
    CHECK(libraries.at(0).at("restart").is_null());
    CHECK(libraries.back().at("state") == "restarting");
    CHECK(libraries.back().at("restart").at("why") == "for a changed configuration");
    CHECK(libraries.back().at("restart").at("since").is_string());
}

TEST_CASE("a library that a bug has stopped is named before all else, and somebody is needed")
{
    auto status = fresh_status();
    status.libraries.back().bug = BugStatus{"recipes: planted", sample_now, 2, sample_now, "send a bug report"};
    CHECK(number_of(exit_code(status)) == 2);
    CHECK(number_of(exit_code(status, "antwerp")) == 0);
    CHECK(headline(status).find("stopped by a bug: ghent; ") == 0);
    const auto document = boost::json::parse(to_json(status));
    const auto& libraries = document.at("libraries").as_array();
    CHECK(libraries.at(0).at("bug").is_null());
    CHECK(libraries.at(0).at("state") == "fresh");
    const auto& ghent = libraries.at(1);
    CHECK(ghent.at("state") == "bug");
    CHECK(ghent.at("bug").at("what") == "recipes: planted");
    CHECK(ghent.at("bug").at("times") == 2);
    CHECK(ghent.at("bug").at("do_this") == "send a bug report");
}

TEST_CASE("the exit code says whether somebody is needed")
{
    struct Row {
        State state;
        int code;
    };
    for (const auto& row : {Row{State::retired, 0}, Row{State::paused, 0}, Row{State::wrong_library, 2},
                            Row{State::needs_person, 2}, Row{State::forbidden, 2}, Row{State::held, 2},
                            Row{State::filling, 1}, Row{State::late, 1}, Row{State::fresh, 0}}) {
        INFO(to_string(row.state));
        CHECK(number_of(exit_code(with_states(row.state, State::fresh))) == row.code);
        CHECK(number_of(exit_code(with_states(State::fresh, row.state))) == row.code);
        CHECK(number_of(exit_code(with_states(State::late, row.state))) == std::max(1, row.code));
    }
}

TEST_CASE("a set that waits for a person counts although its tables are fresh")
{
    auto status = fresh_status();
    CHECK(number_of(exit_code(status)) == 0);
    status.libraries[1].token.needs_person = true;
    CHECK(number_of(exit_code(status)) == 2);
    CHECK(number_of(exit_code(status, "antwerp")) == 0);
    CHECK(number_of(exit_code(status, "ghent")) == 2);
}

TEST_CASE("a library that is configured and does not run is a matter for somebody, and is named")
{
    auto status = with_states(State::fresh, State::fresh);
    status.absent = {"bruges"};
    CHECK(number_of(exit_code(status)) == 2);
    CHECK(number_of(exit_code(status, "bruges")) == 2);
    CHECK(number_of(exit_code(status, "antwerp")) == 0);
    CHECK(headline(status).starts_with("not running: bruges; "));
    status.libraries.clear();
    CHECK(headline(status) == "not running: bruges");
}

TEST_CASE("a library is in the worst state of its tables, pauses and retired ones aside")
{
    struct Row {
        State one;
        State other;
        State together;
    };
    for (const auto& row :
         {Row{State::fresh, State::late, State::late}, Row{State::late, State::filling, State::filling},
          Row{State::held, State::filling, State::held},
          Row{State::needs_person, State::wrong_library, State::wrong_library},
          Row{State::paused, State::fresh, State::fresh}, Row{State::paused, State::retired, State::paused},
          Row{State::retired, State::late, State::late}, Row{State::retired, State::retired, State::filling}}) {
        INFO(to_string(row.one) << " and " << to_string(row.other));
        CHECK(state_of(with_states(row.one, row.other).libraries[0]) == row.together);
        CHECK(state_of(with_states(row.other, row.one).libraries[0]) == row.together);
    }
}

TEST_CASE("the headline names the worst first and folds whole libraries")
{
    struct Row {
        const char* name;
        Status status;
        const char* headline;
    };
    auto filling = fresh_status();
    filling.libraries[0].resources[0].state = State::filling;
    filling.libraries[0].resources[0].running = Running{};
    filling.libraries[0].resources[0].running->page = 3;
    filling.libraries[0].resources[0].running->pages = 12;
    filling.libraries[0].resources[0].running->eta = std::chrono::seconds(40);
    auto hanging = filling;
    hanging.libraries[1].resources[0].running = Running{};
    hanging.libraries[1].resources[0].running->stands_still = true;
    hanging.libraries[1].resources[0].running->page = 7;
    auto hanging_in_outage = hanging;
    hanging_in_outage.problems = {problem_of(CauseKind::service, Severity::info)};
    hanging_in_outage.problems[0].affected[0].library = "ghent";
    hanging_in_outage.problems[0].affected[0].tables = {"recipes"};
    auto in_pause = hanging;
    in_pause.problems = {problem_of(CauseKind::limit, Severity::info)};
    in_pause.problems[0].affected[0].library = "antwerp";
    in_pause.problems[0].affected[0].tables.clear();
    in_pause.problems[0].affected.push_back(in_pause.problems[0].affected[0]);
    in_pause.problems[0].affected[1].library = "ghent";
    auto lost = fresh_status();
    lost.libraries[0].resources[0].state = State::needs_person;
    lost.libraries[0].resources[1].state = State::needs_person;
    lost.libraries[0].token.needs_person = true;
    lost.libraries[1].resources[0].state = State::late;
    auto dying = fresh_status();
    dying.libraries[1].token.needs_person = true;
    dying.libraries[1].token.deadline = sample_now + std::chrono::hours(48);
    auto ending = fresh_status();
    ending.problems = {problem_of(CauseKind::access_ends, Severity::ticket)};
    ending.problems[0].affected[0].do_this = "ask the owner for a new token set";
    auto paused = fresh_status();
    paused.libraries[1].resources[0].state = State::paused;
    auto full = fresh_status();
    full.problems = {problem_of(CauseKind::clock, Severity::ticket), problem_of(CauseKind::disk, Severity::page),
                     problem_of(CauseKind::daemon, Severity::ticket), problem_of(CauseKind::identity, Severity::info),
                     problem_of(CauseKind::repaired, Severity::info)};
    full.problems.back().momentary = true;
    auto outage = fresh_status();
    outage.problems = {problem_of(CauseKind::service, Severity::info)};
    auto outage_of_first_load = filling;
    outage_of_first_load.problems = {problem_of(CauseKind::network, Severity::info)};
    outage_of_first_load.problems[0].affected[0].state = State::filling;
    auto long_outage = fresh_status();
    long_outage.libraries[1].resources[0].state = State::late;
    long_outage.problems = {problem_of(CauseKind::service, Severity::ticket)};
    long_outage.problems[0].affected[0].state = State::late;
    auto told = lost;
    told.problems = {problem_of(CauseKind::token_lost, Severity::page), problem_of(CauseKind::late, Severity::ticket)};
    std::vector<ResourceStatus> many;
    for (const auto* name : {"a", "b", "c", "d", "e"}) {
        many.push_back(sample_resource(name, State::forbidden));
    }
    many.push_back(sample_resource("f", State::fresh));

    for (
        const auto& row :
        {Row{"nothing configured", sample_status({}),
             "no library is configured; to add one: shelfctl library add NAME"},
         Row{"a library without tables", sample_status({sample_library("antwerp", {})}), "no table is configured"},
         Row{"all is well", fresh_status(), "all 3 tables fresh"},
         Row{"a pass under way", filling,
             "filling: antwerp recipes; 2 of 3 tables fresh; reading antwerp recipes, page 3 of 12, 40 s left"},
         Row{"a pass that does not advance", hanging,
             "filling: antwerp recipes; 2 of 3 tables fresh; ghent recipes makes no progress, page 7"},
         Row{"a pass that does not advance in an outage, beside one that does", hanging_in_outage,
             "filling: antwerp recipes; the service fails; 2 of 3 tables fresh; reading antwerp recipes, page 3 of 12, "
             "40 s left"},
         Row{"passes in a pause that the service asks for", in_pause,
             "filling: antwerp recipes; rate limited by the service; 2 of 3 tables fresh"},
         Row{"a set is lost", lost, "needs a person: antwerp; late: ghent; 0 of 3 tables fresh"},
         Row{"a set will be lost", dying,
             "needs a person soon: ghent's token set (by 2024-01-08T06:00:00Z); all 3 tables fresh"},
         Row{"a problem that no other word shows", ending, "all 3 tables fresh; 1 problem"},
         Row{"trouble that no table shows", full,
             "a disk of this machine cannot be written; the clocks of this machine and of the service differ; the "
             "daemon needs "
             "attention; all 3 tables fresh"},
         Row{"an outage before anything is late", outage, "the service fails; all 3 tables fresh"},
         Row{"an outage while a table is filling for the first time", outage_of_first_load,
             "filling: antwerp recipes; the service cannot be reached; 2 of 3 tables fresh; reading antwerp recipes, "
             "page 3 of 12, 40 s left"},
         Row{"an outage that has made tables late", long_outage, "late: ghent; the service fails; 2 of 3 tables fresh"},
         Row{"causes of what states say", told, "needs a person: antwerp; late: ghent; 0 of 3 tables fresh"},
         Row{"a pause", paused, "paused: ghent; all 2 tables fresh"},
         Row{"more than fits", sample_status({sample_library("antwerp", many)}),
             "forbidden: antwerp a, antwerp b, antwerp c and 2 more; 1 of 6 tables fresh"}}) {
        INFO(row.name);
        CHECK(headline(row.status) == row.headline);
    }
}

TEST_CASE("the JSON names its format and holds what is known, null for what is not")
{
    auto status = fresh_status();
    auto& recipes = status.libraries[0].resources[0];
    recipes.running = Running{};
    recipes.running->started = sample_now;
    recipes.running->phase = Phase::pages;
    recipes.last_run = RunReport{};
    recipes.last_run->run_id = "r1";
    recipes.last_run->mode = "incremental";
    status.libraries[0].resources[1].last_run = RunReport{};
    status.libraries[0].resources[1].last_run->proven = true;
    status.libraries[0].token.facts = {{"old token dies", "at once"}};
    status.libraries[0].token.refreshes = {{"committed", 3}};
    status.notices = {{"no such group", "sudo addgroup x", std::nullopt}};

    const auto document = boost::json::parse(to_json(status));
    CHECK(document.at("format_version") == 1);
    CHECK(document.at("now") == "2024-01-06T06:00:00.000000Z");
    CHECK(document.at("headline") == headline(status).c_str());
    CHECK(document.at("exit_code") == 0);
    CHECK(document.at("notices").at(0).at("do_this") == "sudo addgroup x");
    CHECK(document.at("absent").as_array().empty());
    const auto& antwerp = document.at("libraries").at(0);
    CHECK(antwerp.at("state") == "fresh");
    CHECK(antwerp.at("token").at("facts").at("old token dies") == "at once");
    CHECK(antwerp.at("token").at("refreshes").at("committed") == 3);
    CHECK(antwerp.at("token").at("last_refresh").is_null());
    CHECK(antwerp.at("budget").at("limit") == 100);
    CHECK(antwerp.at("budget").at("foreign") == 7);
    const auto& first = antwerp.at("resources").at(0);
    CHECK(first.at("running").at("phase") == "pages");
    CHECK(first.at("running").at("pages").is_null());
    CHECK(first.at("running").at("eta_seconds").is_null());
    CHECK(first.at("last_run").at("run_id") == "r1");
    CHECK(first.at("last_run").at("mode") == "incremental");
    CHECK(first.at("last_run").at("proven") == false);
    CHECK(antwerp.at("resources").at(1).at("last_run").at("mode") == "full");
    CHECK(antwerp.at("resources").at(1).at("last_run").at("proven") == true);
    CHECK(antwerp.at("resources").at(1).at("running").is_null());
    CHECK(antwerp.at("resources").at(1).at("as_of") == "2024-01-06T05:58:30.000000Z");
    CHECK(antwerp.at("repairs").as_array().empty());
}

TEST_CASE("the JSON names each repair of a mirror, and where the broken file lies")
{
    auto status = fresh_status();
    status.libraries[0].repairs = {
        {sample_now, "the mirror", "/m/antwerp.db", "was broken (x)", "it was set aside", "/m/old.db"},
        {sample_now, "the mirror", "/m/antwerp.db", "was gone", "the mirror is filled again", ""}};
    const auto document = boost::json::parse(to_json(status));
    const auto& repairs = document.at("libraries").at(0).at("repairs");
    REQUIRE(repairs.as_array().size() == 2);
    CHECK(repairs.at(0).at("at") == "2024-01-06T06:00:00.000000Z");
    CHECK(repairs.at(0).at("what") == "the mirror");
    CHECK(repairs.at(0).at("file") == "/m/antwerp.db");
    CHECK(repairs.at(0).at("found") == "was broken (x)");
    CHECK(repairs.at(0).at("done") == "it was set aside");
    CHECK(repairs.at(0).at("aside") == "/m/old.db");
    CHECK(repairs.at(1).at("aside").is_null());
}

}  // namespace
}  // namespace shelfd::control

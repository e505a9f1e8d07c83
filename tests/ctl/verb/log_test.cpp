#include "ctl/daemon/daemon_log.hpp"
#include "ctl/mirror_bench.hpp"
#include "ctl/socket_server.hpp"
#include "ctl/steps_while_asleep.hpp"
#include "support/catch.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <sstream>
#include <vector>

namespace shelfd::ctl {
namespace {

struct LogBench : MirrorBench {
    LogBench()
    {
        command.verb = Verb::log;
        load(R"({"id": 1, "price": 2}, {"id": 2, "price": 4})");
        time.step_wall(std::chrono::hours(1));
        load(R"({"id": 1, "price": "planted-value"}, {"id": 2, "price": 4})");
        time.step_wall(std::chrono::hours(1));
        load(R"({"id": 1, "price": "planted-value"}, {"id": 2, "price": 4})");
    }

    ExitCode run()
    {
        captured.out.clear();
        captured.err.clear();
        return run_log(context());
    }
    bool says(const std::string& part) const { return captured.out.find(part) != std::string::npos; }
    std::vector<std::string> lines() const
    {
        std::vector<std::string> all;
        std::istringstream in(captured.out);
        for (std::string line; std::getline(in, line);) {
            all.push_back(line);
        }
        return all;
    }
};

TEST_CASE("the log of a table that is not there lists the tables")
{
    LogBench bench;
    bench.command.resource = "nope";
    CHECK(bench.run() == ExitCode::usage);
    CHECK(bench.captured.out.empty());
    CHECK(
        bench.captured.err.find("has no table nope (known: outlets, recipes); all of them: shelfctl schema antwerp") !=
        std::string::npos);
}

TEST_CASE("without a daemon the log tells from the mirror what changed, newest last, and shows no value of a row")
{
    LogBench bench;
    CHECK(bench.run() == ExitCode::done);
    CHECK(bench.captured.out ==
          "2024-01-06T06:00:00Z  repair    the mirror was created\n"
          "2024-01-06T06:00:00Z  table     outlets: the table was created\n"
          "2024-01-06T06:00:00Z  table     recipes: the table was created\n"
          "2024-01-06T06:00:00Z  pass      recipes: full pass published, 1 request: 2 added, 0 changed, 0 deleted, 2 "
          "rows, proven complete\n"
          "2024-01-06T07:00:00Z  pass      recipes: full pass published, 1 request: 0 added, 1 changed, 0 deleted, 2 "
          "rows, proven complete\n"
          "2024-01-06T07:00:00Z  drift     recipes: price is integer and received text for the first time\n");
}

TEST_CASE("passes that changed nothing are shown with --all, and a table alone by its name")
{
    LogBench bench;
    bench.command.all = true;
    bench.command.resource = "recipes";
    CHECK(bench.run() == ExitCode::done);
    CHECK(bench.says("2024-01-06T08:00:00Z  pass      recipes: full pass published, 1 request: 0 added, 0 changed"));
    CHECK(!bench.says("outlets"));
}

TEST_CASE("failed passes, held rows, states and repairs are events")
{
    LogBench bench;
    REQUIRE(bench.mirror->record_run({.run_id = "r9",
                                      .resource = "recipes",
                                      .started = bench.time.now(),
                                      .finished = bench.time.now(),
                                      .error = "500 from the service",
                                      .requests = 1}));
    REQUIRE(bench.mirror->set_state("outlets", {.blocked = mirror::Blocked::forbidden, .why = "no scope"}));
    bench.change(
        "INSERT INTO _held VALUES ('recipes', '7', '2024-01-06T09:00:00.000000Z', 'r', 0, 'it still answers')");
    bench.change(R"(INSERT INTO _meta VALUES ('repair 2024-01-06T10:00:00.000000Z',
        '{"file":"x","found":"was damaged","done":"it is filled again","aside":""}'))");
    CHECK(bench.run() == ExitCode::done);
    INFO(bench.captured.out);
    CHECK(bench.says("pass      recipes: full pass failed, 1 request: 500 from the service\n"));
    CHECK(bench.says("state     outlets: forbidden: no scope\n"));
    CHECK(bench.says("09:00:00Z  held      recipes: 1 row missing from the list and not deleted: it still answers\n"));
    CHECK(bench.lines().back() == "2024-01-06T10:00:00Z  repair    the mirror was damaged; it is filled again");
}

TEST_CASE("the options -n and --since limit the log to the newest events")
{
    LogBench bench;
    bench.command.care.events = 2;
    CHECK(bench.run() == ExitCode::done);
    CHECK(bench.lines().size() == 3);
    CHECK(bench.lines().front() == "(4 earlier events; --since TIME or -n N shows more)");
    bench.command.care.events.reset();
    bench.command.care.since = std::chrono::hours(1);  // of the real clock, so nothing is that new
    CHECK(bench.run() == ExitCode::done);
    CHECK(bench.captured.out == "no event; --all also shows passes that changed nothing\n");
}

TEST_CASE("as JSON each event is a line")
{
    LogBench bench;
    bench.command.output = Output::json;
    CHECK(bench.run() == ExitCode::done);
    REQUIRE(bench.lines().size() == 6);
    const auto event = boost::json::parse(bench.lines()[3]).as_object();
    CHECK(event.at("at").as_string() == "2024-01-06T06:00:00.000000Z");
    CHECK(event.at("kind").as_string() == "pass");
    CHECK(event.at("resource").as_string() == "recipes");
    CHECK(event.at("run_id").as_string() == "run-1");
    CHECK_FALSE(event.contains("asked_by"));
}

TEST_CASE("the log names the users who asked for a pass, or decided about held rows")
{
    LogBench bench;
    REQUIRE(bench.mirror->store_state("recipes", {}, mirror::RunAsker{"run-3", "erik, jan"}));
    bench.change("INSERT INTO _runs (run_id, resource, mode, result, started_at, finished_at, requests, pages, bytes, "
                 "rows, deleted, asked_by) VALUES ('kept-1', 'recipes', 'keep', 'published', "
                 "'2024-01-06T09:00:00.000000Z', '2024-01-06T09:00:00.000000Z', 0, 0, 0, 2, 0, 'root'), ('accepted-1', "
                 "'recipes', 'accept', 'published', '2024-01-06T10:00:00.000000Z', '2024-01-06T10:00:00.000000Z', 0, "
                 "0, 0, 2, 4, 'jan')");
    bench.command.all = true;
    CHECK(bench.run() == ExitCode::done);
    CHECK(bench.says("08:00:00Z  pass      recipes: full pass published, 1 request: 0 added, 0 changed, 0 deleted, 2 "
                     "rows, proven complete; asked for by erik, jan\n"));
    CHECK(bench.says("09:00:00Z  pass      recipes: held rows were kept; asked for by root\n"));
    CHECK(
        bench.says("10:00:00Z  pass      recipes: held rows were accepted as deleted: 4 deleted; asked for by jan\n"));
    bench.command.output = Output::json;
    CHECK(bench.run() == ExitCode::done);
    CHECK(boost::json::parse(bench.lines().back()).at("asked_by") == "jan");
    // A mirror of a daemon that did not record it yet.
    bench.change("ALTER TABLE _runs RENAME COLUMN asked_by TO former");
    CHECK(bench.run() == ExitCode::done);
    CHECK_FALSE(bench.says("asked_by"));
}

TEST_CASE("the log names what people did to the library besides passes, done or not")
{
    LogBench bench;
    mirror::ActRecord act;
    act.run_id = "act-1";
    act.verb = "auth import";
    act.asked_by = "erik";
    act.started = act.finished = *Instant::from_rfc3339("2024-01-06T09:00:00Z");
    REQUIRE(bench.mirror->record_act(act));
    act.run_id = "act-2";
    act.verb = "verify";
    act.resource = "recipes";
    act.error = "the daemon has no token set";
    act.started = act.finished = *Instant::from_rfc3339("2024-01-06T10:00:00Z");
    REQUIRE(bench.mirror->record_act(act));
    bench.command.all = true;
    CHECK(bench.run() == ExitCode::done);
    INFO(bench.captured.out);
    CHECK(bench.says("09:00:00Z  act       "));
    CHECK(bench.says("shelfctl auth import: done; asked for by erik\n"));
    CHECK(bench.says("10:00:00Z  act       recipes: shelfctl verify: not done: the daemon has no token set; asked for "
                     "by erik\n"));
}

TEST_CASE("a running daemon adds its start, the token set and the incidents of the library")
{
    LogBench bench;
    const SocketServer server(
        bench.environment["SHELFD_SOCKET"],
        {http_answer(200, R"({"format_version":1,"version":"0.1.0","now":"2024-01-06T12:00:00Z",)"
                          R"("started":"2024-01-06T05:00:00Z","libraries":[{"name":"antwerp","state":"fresh",)"
                          R"("token":{"state":"lost","needs_person":true,"since":"2024-01-06T11:00:00Z",)"
                          R"("generation":4,"last_refresh":"2024-01-06T09:30:00Z","reason":"an answer is missing"},)"
                          R"("resources":[]}]})"),
         http_answer(200, R"({"incidents":[{"id":"i-1","severity":"page","title":"token lost","why":"no set",)"
                          R"("since":"2024-01-06T11:01:00Z","libraries":["antwerp"]},)"
                          R"({"id":"i-2","severity":"page","title":"other","since":"2024-01-06T11:02:00Z",)"
                          R"("libraries":["ghent"]}]})")});
    CHECK(bench.run() == ExitCode::done);
    INFO(bench.captured.out);
    CHECK(bench.lines().front() == "2024-01-06T05:00:00Z  daemon    the daemon started, version 0.1.0");
    CHECK(bench.says("09:30:00Z  token     the token set in use was issued, generation 4\n"));
    CHECK(bench.says("11:00:00Z  token     lost: an answer is missing\n"));
    CHECK(bench.lines().back() == "2024-01-06T11:01:00Z  incident  page i-1: token lost: no set");
}

TEST_CASE("following prints what comes, each event once, until it is interrupted")
{
    LogBench bench;
    bench.command.read.follow = true;
    bench.command.care.events = 1;
    StepsWhileAsleep clock({[&] { bench.load(R"({"id": 1}, {"id": 2}, {"id": 3})"); }, [] {},
                            [&] { bench.load(R"({"id": 7})", "outlets"); }});
    const auto given = bench.context();
    const Context context{given.command,    given.environment, given.terminal, clock,
                          given.read_input, given.read_line,   given.random,   given.browse};
    CHECK(run_log(context) == ExitCode::done);
    INFO(bench.captured.out);
    REQUIRE(bench.lines().size() == 4);
    CHECK(bench.lines()[0].starts_with("(5 earlier events; "));
    CHECK(bench.lines()[2].find("recipes: full pass published, 1 request: 1 added, 2 changed") != std::string::npos);
    CHECK(bench.lines()[3].find("outlets: full pass published, 1 request: 1 added, 0 changed") != std::string::npos);
}

TEST_CASE("an unknown library names those that are there")
{
    LogBench bench;
    bench.command.library = "ghent";
    CHECK(bench.run() == ExitCode::usage);
    CHECK(bench.captured.err.find("antwerp") != std::string::npos);
}

TEST_CASE("log lines are read from journalctl, also those that are bytes, and broken ones are skipped")
{
    TempDirectory directory;
    const auto program = directory / "journalctl";
    write_file(program,
               "#!/bin/sh\n"
               "case \"$*\" in *SHELFD_LIBRARY=antwerp*) ;; *) exit 1 ;; esac\n"
               "cat <<'END'\n"
               R"({"__REALTIME_TIMESTAMP":"1704520800000000","PRIORITY":"4","SHELFD_LIBRARY":"antwerp",)"
               R"("SHELFD_RUN_ID":"r1","SHELFD_RESOURCE":"recipes","MESSAGE":"late"})"
               "\n"
               R"({"__REALTIME_TIMESTAMP":"1704520801000000","MESSAGE":[104,105]})"
               "\n"
               R"({"MESSAGE":"no time"})"
               "\n{broken\nEND\n",
               0700);
    LogQuery query;
    query.program = program;
    query.library = "antwerp";
    const auto lines = read_daemon_log(query);
    REQUIRE(lines);
    REQUIRE(lines->size() == 2);
    CHECK((*lines)[0].at == Instant::from_seconds(1'704'520'800));
    CHECK((*lines)[0].priority == 4);
    CHECK((*lines)[0].run_id == "r1");
    CHECK((*lines)[0].text == "late");
    CHECK((*lines)[1].text == "hi");
    query.program = directory / "none";
    const auto none = read_daemon_log(query);
    REQUIRE(!none);
    CHECK(none.error().kind() == ErrorKind::not_found);
}

}  // namespace
}  // namespace shelfd::ctl

// Every verb that shows what services, mirrors or the daemon say, with text in it that would rule a terminal.
#include "ctl/hostile_text.hpp"
#include "ctl/mirror_bench.hpp"
#include "ctl/socket_server.hpp"
#include "ctl/verb/verbs.hpp"
#include "ctl/verb_bench.hpp"
#include "support/catch.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

// As the daemon's JSON brings it: valid UTF-8, everything but C0 raw.
std::string hostile_value()
{
    return "\x1b[2J\x07\r\x7f\xc2\x9b"
           "2J\u202e\u2066\u200f\u2028";
}

// The strings of a status, of reports and of errors, all of them hostile.
json::value hostile_status()
{
    const auto bad = hostile_value();
    const json::value resource = {{"name", bad},
                                  {"state", "held"},
                                  {"why", bad},
                                  {"do_this", bad},
                                  {"rows", 3},
                                  {"last_run", {{"result", bad}, {"error", bad}}},
                                  {"running", {{"phase", bad}, {"note", bad}}}};
    const json::value token = {{"state", bad},   {"needs_person", true},  {"reason", bad}, {"next", bad},
                               {"do_this", bad}, {"facts", {{bad, bad}}}, {"origin", bad}, {"generation", 7}};
    return {{"format_version", 1},
            {"now", "2024-01-06T06:00:00Z"},
            {"headline", bad},
            {"notices", json::array{{{"text", bad}, {"do_this", bad}}}},
            {"libraries", json::array{{{"name", bad},
                                       {"state", bad},
                                       {"origin", bad},
                                       {"library_id", bad},
                                       {"token", token},
                                       {"resources", json::array{resource}}}}}};
}

struct HostileBench : VerbBench {
    explicit HostileBench(bool is_terminal = false) : captured({is_terminal, is_terminal, 200})
    {
        command.library = "antwerp";
        command.resource = "recipes";
        command.keys = {"7"};
        command.inquiry.paths = {"/x/"};
        command.force = true;
        command.all = true;
        input = "{}";
    }

    // Hides the bench's own.
    CapturedTerminal captured;

    void run(ExitCode (*verb)(const Context&), std::string answer)
    {
        if (verb == run_status || verb == run_auth_status) {
            command.library.clear();  // of all: the one in the answer has another name
        }
        SocketServer server(environment["SHELFD_SOCKET"], {std::move(answer)});
        const auto given = VerbBench::context();
        const Context context{given.command,    given.environment, captured.terminal, given.clock,
                              given.read_input, given.read_line,   given.random,      given.browse};
        verb(context);
    }
    std::string output() const { return captured.out + captured.err; }
};

const std::vector<std::string> ours = {"\x1b[31m", "\x1b[33m", "\x1b[32m", "\x1b[2m", "\x1b[1m", "\x1b[0m", "\r\x1b[K"};

struct Row {
    const char* name;
    ExitCode (*verb)(const Context&);
    std::string answer;
};

std::vector<Row> rows()
{
    const auto bad = hostile_value();
    const auto status = json::serialize(hostile_status());
    const auto error = http_answer(409, json::serialize(json::value{{"error", {{"kind", "config"}, {"text", bad}}}}));
    const auto sentence = http_answer(200, json::serialize(json::value{{"text", bad}}));
    const auto lines = [](const std::vector<json::value>& events) {
        std::string body;
        for (const auto& event : events) {
            body += json::serialize(event) + "\n";
        }
        return http_answer(200, body);
    };
    const json::value row = {
        {"event", "row"}, {"verdict", "differs"},
        {"key", bad},     {"why", bad},
        {"address", bad}, {"differences", json::array{{{"member", bad}, {"mirror", bad}, {"service", bad}}}}};
    const json::value failed = {{"event", "done"}, {"error", {{"kind", "config"}, {"text", bad}}}};
    return {
        {"status", run_status, http_answer(200, status)},
        {"auth status", run_auth_status, http_answer(200, status)},
        {"auth import", run_auth_import, sentence},
        {"auth move-in", run_auth_move_in, sentence},
        {"auth token", run_auth_token, http_answer(200, bad)},
        {"auth move-out", run_auth_move_out, http_answer(200, bad)},
        {"get, JSON", run_get, http_answer(200, "{\"status\":200}\n" + json::serialize(json::value{{bad, bad}}))},
        {"get, text", run_get, http_answer(200, "{\"status\":500}\n" + hostile_text())},
        {"get, what begins as JSON", run_get, http_answer(200, "{\"status\":200}\n{" + hostile_text())},
        {"verify", run_verify, lines({row, failed})},
        {"probe", run_probe,
         lines({{{"event", "finding"}, {"text", bad}}, {{"event", "toml"}, {"text", bad}}, failed})},
        {"sync", run_sync, lines({{{"event", "ended"}, {"library", bad}, {"resource", bad}, {"error", bad}}, failed})},
        {"held", run_held,
         http_answer(200, json::serialize(json::value{
                              {"rows", json::array{{{"key", bad}, {"why", bad}, {"since", bad}}}}, {"count", 1}}))},
        {"snapshot", run_snapshot, http_answer(200, json::serialize(json::value{{"path", bad}, {"tables", 1}}))},
        {"reload", run_reload,
         http_answer(200, json::serialize(json::value{{"changes", json::array{bad}}, {"warnings", json::array{bad}}}))},
        {"an error", run_auth_adopt, error},
        {"another error", run_wait, error},
    };
}

}  // namespace

TEST_CASE("no answer that a verb shows rules the terminal of whoever looks at it")
{
    for (const auto& row : rows()) {
        DYNAMIC_SECTION(row.name)
        {
            for (const auto output : {Output::text, Output::json}) {
                HostileBench bench(true);
                bench.command.output = output;
                bench.run(row.verb, row.answer);
                CHECK(what_a_terminal_would_obey(bench.output(), ours) == "");
                CHECK(bench.output() != "");
            }
        }
    }
}

TEST_CASE("what people read is made safe in a file, too, and what programs read is exact there")
{
    const auto bad = hostile_value();
    HostileBench status;
    status.command.library = status.command.resource = "";
    status.run(run_status, http_answer(200, json::serialize(hostile_status())));
    CHECK(what_a_terminal_would_obey(status.output()) == "");

    HostileBench got;
    const auto body = json::serialize(json::value{{"a", bad}});
    got.command.inquiry.raw = true;
    got.run(run_get, http_answer(200, "{\"status\":200}\n" + body));
    CHECK(got.captured.out == body);

    HostileBench listed;
    listed.command.library = listed.command.resource = "";
    listed.command.output = Output::json;
    listed.run(run_status, http_answer(200, json::serialize(hostile_status())));
    CHECK((json::parse(listed.captured.out) == hostile_status()));
}

TEST_CASE("rows, columns and stories of a mirror rule no terminal; CSV and JSON of them are exact in a file")
{
    const auto bad = hostile_value();
    MirrorBench bench;
    const auto item = json::serialize(json::value{{"id", 1}, {"name", bad}, {"x" + bad, bad}});
    bench.load(item);
    bench.load(json::serialize(json::value{{"id", 1}, {"name", bad + bad}, {"x" + bad, bad}}));
    bench.command.library = "antwerp";
    bench.command.resource = "recipes";
    bench.command.read.sql = "SELECT id, name AS [" + bad.substr(bad.find('\x7f')) + "] FROM recipes";
    const auto shown = [&](ExitCode (*verb)(const Context&), Output output, bool is_terminal) {
        CapturedTerminal captured({is_terminal, is_terminal, 200});
        bench.command.output = output;
        const auto given = bench.context();
        const Context context{given.command,    given.environment, captured.terminal, given.clock,
                              given.read_input, given.read_line,   given.random,      given.browse};
        verb(context);
        CHECK(captured.err == "");
        return captured.out;
    };
    for (const auto verb : {run_sql, run_schema, run_changes, run_explain, run_log}) {
        for (const auto output : {Output::text, Output::json, Output::csv}) {
            CHECK(what_a_terminal_would_obey(shown(verb, output, true), ours) == "");
        }
    }
    CHECK(what_a_terminal_would_obey(shown(run_sql, Output::text, false)) == "");
    CHECK(shown(run_sql, Output::csv, false).find(bad + bad) != std::string::npos);
    const auto rows = json::parse(shown(run_sql, Output::json, false));
    CHECK((rows.as_array().at(0).as_object().begin() + 1)->value().as_string() == bad + bad);
    CHECK((json::parse(shown(run_sql, Output::json, true)) == rows));
}

}  // namespace shelfd::ctl

#include "base/file_descriptor.hpp"
#include "ctl/captured_terminal.hpp"
#include "ctl/context/user_mode.hpp"
#include "ctl/socket_server.hpp"
#include "ctl/verb/verbs.hpp"
#include "ctl/verb_bench.hpp"
#include "storage/sqlite.hpp"
#include "support/catch.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace shelfd::ctl {
namespace {

constexpr auto fresh = R"({"format_version":1,"now":"2024-01-06T06:00:00Z","headline":"all 1 tables fresh",)"
                       R"("libraries":[{"name":"antwerp","state":"fresh","token":{"state":"good"},)"
                       R"("resources":[{"name":"recipes","state":"fresh","rows":3}]}]})";
constexpr auto done = R"({"event":"done","ok":true})";

bool holds(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

struct DaemonBench : VerbBench {
    std::string request;

    // Runs the verb against a daemon that answers so, to as many requests as there are answers.
    ExitCode run(ExitCode (*verb)(const Context&), std::string answer)
    {
        return run(verb, std::deque<std::string>{std::move(answer)});
    }
    ExitCode run(ExitCode (*verb)(const Context&), std::deque<std::string> answers)
    {
        SocketServer server(environment["SHELFD_SOCKET"], std::move(answers));
        const auto code = verb(context());
        request = server.requests().front();
        return code;
    }
};

TEST_CASE("without a daemon every verb that needs one exits 3 and says what to type")
{
    for (const auto verb : {run_status, run_sync, run_wait, run_reload, run_auth_import, run_auth_login,
                            run_auth_move_out, run_auth_move_in, run_auth_status, run_auth_token, run_auth_adopt,
                            run_auth_forget, run_held, run_verify, run_get, run_probe}) {
        VerbBench bench;
        bench.command.library = "antwerp";
        bench.command.keys = {"7"};
        bench.command.fate = HeldFate::accept;
        bench.command.inquiry.paths = {"/x/"};
        bench.command.force = true;
        bench.input = "x";
        CHECK(verb(bench.context()) == ExitCode::no_daemon);
        CHECK(holds(bench.captured.err, "there is no socket " + bench.environment["SHELFD_SOCKET"]));
        CHECK(holds(bench.captured.err,
                    start_command(bench.environment["SHELFD_SOCKET"], ::geteuid(), bench.command.config_file)));
    }
}

TEST_CASE(
    "a daemon that has removed its socket may be stopping, so nobody is told to kill it or to start another first")
{
    const auto child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::prctl(PR_SET_NAME, "shelfd");
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::pause();
        ::_exit(0);
    }
    const auto named = fmt::format("/proc/{}/comm", child);
    for (std::string name; name != "shelfd";) {
        std::ifstream(named) >> name;
    }
    VerbBench bench;
    CHECK(run_status(bench.context()) == ExitCode::no_daemon);
    // The tests beside this one may run daemons, too.
    CHECK(holds(bench.captured.err, "but shelfd runs as process "));
    CHECK(holds(bench.captured.err, "do not kill it: it stores token sets first"));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
}

TEST_CASE("a socket file that a dead daemon left says that nobody answers")
{
    VerbBench bench;
    {
        const SocketServer dead(bench.environment["SHELFD_SOCKET"], {});
    }
    CHECK(run_status(bench.context()) == ExitCode::no_daemon);
    CHECK(holds(bench.captured.err, "no daemon answers on"));
}

TEST_CASE("a daemon that goes away in the middle is not taken for none")
{
    DaemonBench bench;
    // Its socket takes connections.
    CHECK(bench.run(run_status, "") == ExitCode::busy);
    CHECK(holds(bench.captured.err, "closed the connection without an answer: it has too many connections"));
    CHECK_FALSE(holds(bench.captured.err, "no daemon"));
}

TEST_CASE("who is told that too many connections are open, or that rights are missing, sees that and no other reason")
{
    DaemonBench bench;
    const auto full = http_answer(429, R"({"error":{"kind":"throttled","text":"64 connections of uid 7 are open"}})");
    CHECK(bench.run(run_status, full) == ExitCode::busy);
    CHECK(holds(bench.captured.err, "64 connections of uid 7 are open"));
    DaemonBench other;
    const auto stranger = http_answer(403, R"({"error":{"kind":"permission","text":"uid 7 may not use this daemon"}})");
    CHECK(other.run(run_status, stranger) == ExitCode::permission);
    CHECK(holds(other.captured.err, "uid 7 may not use this daemon"));
}

TEST_CASE("the status is printed, and its JSON as it came")
{
    DaemonBench bench;
    CHECK(bench.run(run_status, http_answer(200, fresh)) == ExitCode::done);
    CHECK(holds(bench.captured.out, "all 1 tables fresh\n\nLIBRARY  STATE  ROWS"));
    CHECK(holds(bench.request, "GET /v1/status HTTP/1.1\r\n"));

    DaemonBench json;
    json.command.output = Output::json;
    CHECK(json.run(run_status, http_answer(200, fresh)) == ExitCode::done);
    CHECK(json.captured.out == fresh);
}

TEST_CASE("as a plugin, the status is one line, and without a daemon the state is unknown")
{
    DaemonBench bench;
    bench.command.status.as_check = true;
    CHECK(bench.run(run_status, http_answer(200, fresh)) == ExitCode::done);
    CHECK(bench.captured.out.find("SHELFD OK: all 1 tables fresh | libraries=1") == 0);

    VerbBench alone;
    alone.command.status.as_check = true;
    CHECK(number_of(run_status(alone.context())) == 3);
    CHECK(alone.captured.out.find("SHELFD UNKNOWN: ") == 0);
    CHECK(alone.captured.err.empty());
}

TEST_CASE("a page of the status replaces the file, and one that cannot be written is an error that names it")
{
    DaemonBench bench;
    bench.command.status.page = bench.directory / "status.html";
    CHECK(bench.run(run_status, http_answer(200, fresh)) == ExitCode::done);
    CHECK(bench.captured.out.empty());
    std::ifstream file(bench.command.status.page);
    const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    CHECK(page.find("<td>antwerp</td>") != std::string::npos);

    DaemonBench nowhere;
    nowhere.command.status.page = nowhere.directory / "no/status.html";
    CHECK(nowhere.run(run_status, http_answer(200, fresh)) != ExitCode::done);
    CHECK(holds(nowhere.captured.err, "no/status.html"));
    CHECK(holds(nowhere.captured.err, "name a file that you may write: shelfctl status --html FILE"));
}

TEST_CASE("a problem that is over is not found, and a table that no library has is named")
{
    DaemonBench bench;
    bench.command.status.problem = "b7k2m9";
    const auto forbidden = http_answer(403, R"({"error":{"kind":"permission","text":"no"}})");
    const auto alerts = GENERATE_COPY(http_answer(200, "{}"), forbidden);
    CHECK(bench.run(run_status, {http_answer(200, fresh), alerts}) == ExitCode::usage);
    CHECK(holds(bench.captured.err, "there is no problem b7k2m9 now"));

    DaemonBench table;
    table.command.resource = "recepies";
    CHECK(table.run(run_status, http_answer(200, fresh)) == ExitCode::usage);
    CHECK(holds(table.captured.err, "no library has a table recepies (known: recipes); all of them: shelfctl status "
                                    "--all"));
}

TEST_CASE("a snapshot says which file it is, and how large")
{
    const std::string answer = R"({"ok":true,"path":"/m/antwerp.snapshot.db","tables":1,"bytes":1572864})";
    DaemonBench bench;
    bench.command.library = "antwerp";
    CHECK(bench.run(run_snapshot, http_answer(200, answer)) == ExitCode::done);
    CHECK(bench.captured.out == "/m/antwerp.snapshot.db: 1 table, 1.5 MiB\n");
    CHECK(holds(bench.request, "POST /v1/snapshot"));

    DaemonBench json;
    json.command.output = Output::json;
    CHECK(json.run(run_snapshot, http_answer(200, answer)) == ExitCode::done);
    CHECK(json.captured.out == answer + "\n");

    DaemonBench refused;
    const auto full = R"({"error":{"kind":"storage","text":"make room"}})";
    CHECK(refused.run(run_snapshot, http_answer(507, full)) == ExitCode::storage);
    CHECK(holds(refused.captured.err, "make room"));
}

TEST_CASE("a library that is not there is a usage error that names those that are")
{
    DaemonBench bench;
    bench.command.library = "ghent";
    CHECK(bench.run(run_status, http_answer(200, fresh)) == ExitCode::usage);
    CHECK(holds(bench.captured.err, "there is no library ghent (known: antwerp)"));
}

TEST_CASE("what the daemon refuses is said in its words, with the exit of its kind")
{
    struct Row {
        int status;
        const char* kind;
        ExitCode code;
    };
    for (const auto& row : {Row{403, "permission", ExitCode::permission}, Row{404, "not_found", ExitCode::usage},
                            Row{409, "needs_person", ExitCode::needs_person}, Row{409, "busy", ExitCode::busy},
                            Row{429, "throttled", ExitCode::busy}, Row{422, "config", ExitCode::config},
                            Row{502, "network", ExitCode::failed}, Row{507, "storage", ExitCode::storage},
                            Row{400, "usage", ExitCode::usage}, Row{502, "timeout", ExitCode::busy},
                            Row{502, "protocol", ExitCode::failed}, Row{502, "refused", ExitCode::failed},
                            Row{507, "corrupt", ExitCode::failed}, Row{503, "stopped", ExitCode::busy}}) {
        for (const auto verb : {run_auth_adopt, run_auth_import, run_auth_token, run_auth_move_out, run_sync, run_wait,
                                run_held, run_snapshot, run_verify, run_probe, run_get, run_hooks_list, run_hooks_test,
                                run_silence, run_reload, run_status, run_auth_status}) {
            INFO(row.kind);
            DaemonBench bench;
            bench.command.library = "antwerp";
            bench.command.resource = "recipes";
            bench.command.keys = {"7"};
            bench.command.fate = HeldFate::keep;
            bench.command.force = true;
            bench.command.inquiry.paths = {"/"};
            bench.input = "access_token=a";
            const auto body = std::string(R"({"error":{"kind":")") + row.kind + R"(","text":"no, because"}})";
            CHECK(bench.run(verb, http_answer(row.status, body)) == row.code);
            CHECK(bench.captured.err.starts_with("shelfctl: no, because"));
        }
    }
}

TEST_CASE("the last line of a stream ends the verb with the exit of its kind")
{
    for (const auto verb : {run_sync, run_wait, run_verify, run_probe}) {
        for (const auto& [kind, code] :
             {std::pair("needs_person", ExitCode::needs_person), std::pair("busy", ExitCode::busy),
              std::pair("timeout", ExitCode::busy), std::pair("throttled", ExitCode::busy),
              std::pair("protocol", ExitCode::failed), std::pair("network", ExitCode::failed),
              std::pair("storage", ExitCode::storage)}) {
            INFO(kind);
            DaemonBench bench;
            bench.command.library = "antwerp";
            bench.command.resource = "recipes";
            bench.command.keys = {"7"};
            const auto line = std::string(R"({"event":"done","ok":false,"error":{"kind":")") + kind +
                              R"(","text":"no, because"}})" + "\n";
            CHECK(bench.run(verb, http_answer(200, line)) == code);
            const bool asks_service = verb == run_verify || verb == run_probe;
            const bool is_looked_up = asks_service && code != ExitCode::busy && code != ExitCode::storage;
            CHECK(bench.captured.err ==
                  (is_looked_up || (asks_service && std::string_view(kind) == "timeout")
                       ? "shelfctl: no, because; what the daemon knows of it: shelfctl status antwerp\n"
                       : "shelfctl: no, because\n"));
        }
    }
}

TEST_CASE("the status of a library is not that of another one, which is not running")
{
    auto document = std::string(fresh);
    document.insert(document.find(R"("headline")"), R"("absent":["ghent"],)");
    DaemonBench bench;
    CHECK(bench.run(run_status, http_answer(200, document)) == ExitCode::needs_person);
    DaemonBench one;
    one.command.library = "antwerp";
    CHECK(one.run(run_status, http_answer(200, document)) == ExitCode::done);
    DaemonBench other;
    other.command.library = "ghent";
    CHECK(other.run(run_status, http_answer(200, document)) == ExitCode::needs_person);
}

TEST_CASE("a sync of all libraries names none, and passes its time-out on")
{
    DaemonBench bench;
    bench.command.sync.all_libraries = true;
    bench.command.sync.timeout = std::chrono::seconds(90);
    CHECK(bench.run(run_sync, http_answer(200, std::string(done) + "\n")) == ExitCode::done);
    CHECK(holds(bench.request, R"({"all":true,"full":false,"background":false,"timeout_seconds":9E1})"));
}

TEST_CASE("a wait for an instant passes it on")
{
    DaemonBench bench;
    bench.command.library = "antwerp";
    bench.command.wait.as_of = "2026-01-31T14:00:00+01:00";
    CHECK(bench.run(run_wait, http_answer(200, std::string(done) + "\n")) == ExitCode::done);
    CHECK(holds(bench.request, R"("as_of":"2026-01-31T14:00:00+01:00")"));
    CHECK(bench.captured.out == "antwerp is as of 2026-01-31T14:00:00+01:00 or later\n");

    DaemonBench now;
    now.command.wait.as_of = "now";
    CHECK(now.run(run_wait, http_answer(200, std::string(done) + "\n")) == ExitCode::done);
    CHECK(holds(now.request, R"("as_of":"20)"));
    CHECK(now.captured.out == "all tables are as of now or later\n");
}

TEST_CASE("another program on the socket is not believed")
{
    for (const auto& answer : {http_answer(200, "<html>"), http_answer(200, "{}"), http_answer(404, "not found"),
                               http_answer(500, R"({"error":"text"})")}) {
        DaemonBench bench;
        CHECK(bench.run(run_status, answer) == ExitCode::failed);
        CHECK_FALSE(bench.captured.err.empty());
        CHECK(bench.captured.out.empty());
    }
}

TEST_CASE("the lines of a stream are given and not kept, however many come; a refusal of it is kept")
{
    DaemonBench bench;
    const auto path = bench.environment["SHELFD_SOCKET"];
    const SocketServer server(path, {http_answer(200, "one\ntwo\n"), http_answer(409, "no\n")});
    DaemonClient client(path);
    std::string lines;
    const auto take = [&lines](std::string_view line) { lines += std::string(line) + ";"; };
    const auto streamed = client.stream("/v1/wait", Secret("{}"), take);
    REQUIRE(streamed);
    CHECK(streamed->status == 200);
    CHECK(lines == "one;two;");
    CHECK(streamed->body.empty());
    const auto refused = client.stream("/v1/wait", Secret("{}"), take);
    REQUIRE(refused);
    CHECK(refused->status == 409);
    CHECK(lines == "one;two;");
    CHECK(refused->body == "no\n");
}

TEST_CASE("a wait ends at its time limit although the daemon says nothing")
{
    DaemonBench bench;
    const auto path = bench.environment["SHELFD_SOCKET"];
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    REQUIRE(path.copy(address.sun_path, sizeof(address.sun_path) - 1) == path.size());
    const FileDescriptor listening(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto* const generic = static_cast<const sockaddr*>(static_cast<const void*>(&address));
    REQUIRE(::bind(listening.get(), generic, sizeof(address)) == 0);
    REQUIRE(::listen(listening.get(), 8) == 0);
    bench.command.timeout = std::chrono::milliseconds(1);
    CHECK(run_wait(bench.context()) == ExitCode::busy);
    CHECK(holds(bench.captured.err, "accepted the connection, and then said nothing: it may be stopped"));
}

TEST_CASE("a sync says what it wants and shows how it ends")
{
    DaemonBench bench;
    bench.command.library = "antwerp";
    bench.command.resource = "recipes";
    bench.command.sync.full = true;
    CHECK(bench.run(run_sync, http_answer(200, std::string(done) + "\n")) == ExitCode::done);
    CHECK(holds(bench.request, "POST /v1/sync HTTP/1.1\r\n"));
    CHECK(holds(bench.request, R"({"library":"antwerp","full":true,"background":false,"resource":"recipes"})"));

    DaemonBench window;
    window.command.library = "antwerp";
    window.command.resource = "sales";
    window.command.sync.window_from = window.command.sync.window_to = "2026-01-05";
    CHECK(window.run(run_sync, http_answer(200, std::string(done) + "\n")) == ExitCode::done);
    CHECK(holds(window.request, R"("resource":"sales","from":"2026-01-05","to":"2026-01-05"})"));

    DaemonBench cut;
    cut.command.library = "antwerp";
    CHECK(cut.run(run_sync, http_answer(200, "{\"event\":\"alive\"}\n")) == ExitCode::busy);
    CHECK(holds(cut.captured.err, "the daemon stopped before it was done"));
}

TEST_CASE("a wait passes its limits on in seconds")
{
    DaemonBench bench;
    bench.command.wait.fresh = std::chrono::minutes(15);
    bench.command.timeout = std::chrono::seconds(90);
    CHECK(bench.run(run_wait, http_answer(200, std::string(done) + "\n")) == ExitCode::done);
    CHECK(holds(bench.request, R"("timeout_seconds":9E1)"));
    CHECK(holds(bench.request, R"("fresh_seconds":9E2)"));
    CHECK(bench.captured.out == "all tables are fresh\n");
}

TEST_CASE("a wait for one table names it")
{
    DaemonBench bench;
    bench.command.library = "antwerp";
    bench.command.resource = "recipes_detail";
    CHECK(bench.run(run_wait, http_answer(200, std::string(done) + "\n")) == ExitCode::done);
    CHECK(holds(bench.request, R"("resource":"recipes_detail")"));
    CHECK(bench.captured.out == "antwerp recipes_detail is fresh\n");
}

TEST_CASE("an import hands in what was pasted, as it is, and prints the daemon's sentence")
{
    DaemonBench bench;
    bench.command.library = "antwerp";
    bench.command.auth.sealing = Sealing::no_seal;
    bench.input = R"({"access_token":"a","refresh_token":"r"})";
    CHECK(bench.run(run_auth_import, http_answer(200, R"({"ok":true,"text":"the set is in force"})")) ==
          ExitCode::done);
    CHECK(holds(bench.request, "POST /v1/auth/import?library=antwerp&sealing=no_seal HTTP/1.1\r\n"));
    CHECK(bench.request.ends_with("\r\n\r\n" + bench.input));
    CHECK(bench.captured.out == "the set is in force\n");
    CHECK(holds(bench.prompt, "it is not shown"));
}

TEST_CASE("an import says whether it may destroy a refresh token")
{
    DaemonBench bench;
    bench.command.library = "antwerp";
    bench.command.auth.sealing = Sealing::access_only;
    bench.command.force = GENERATE(false, true);
    bench.input = "access_token=a";
    CHECK(bench.run(run_auth_import, http_answer(200, R"({"ok":true,"text":"in force"})")) == ExitCode::done);
    CHECK(holds(bench.request, "sealing=access_only&force=true HTTP") == bench.command.force);
}

TEST_CASE("an import into a name that is none never leaves the house")
{
    VerbBench bench;
    bench.command.library = "a b&sealing=no_seal";
    bench.input = "secret";
    CHECK(run_auth_import(bench.context()) == ExitCode::usage);
    CHECK_FALSE(holds(bench.captured.err, "secret"));
}

TEST_CASE("nobody is asked for a set, or to confirm, for a library that there is not")
{
    struct Row {
        const char* name;
        ExitCode (*verb)(const Context&);
        bool can_ask;
    };
    const auto row = GENERATE(values<Row>({
        {"an import at a terminal", run_auth_import, true},
        {"an import without input", run_auth_import, false},
        {"a move-in at a terminal", run_auth_move_in, true},
        {"a move-in without input", run_auth_move_in, false},
        {"forget at a terminal", run_auth_forget, true},
        {"forget in a script", run_auth_forget, false},
    }));
    INFO(row.name);
    DaemonBench bench;
    bench.command.library = "antwerpp";
    CapturedTerminal terminal({.can_ask = row.can_ask});
    const auto base = bench.context();
    const Context context{base.command, base.environment, terminal.terminal,
                          base.clock,   base.read_input,  base.read_line};
    const SocketServer server(bench.environment["SHELFD_SOCKET"], {http_answer(200, fresh)});
    CHECK(row.verb(context) == ExitCode::usage);
    CHECK(holds(terminal.err, "there is no library antwerpp (known: antwerp); after adding it"));
    CHECK((bench.prompt.empty() || !row.can_ask));
}

TEST_CASE("a set is destroyed only by who types the library's name or says --force, and nobody is waited for")
{
    struct Row {
        const char* name;
        bool can_ask;
        const char* typed;
        bool force;
        bool is_done;
    };
    const auto row = GENERATE(values<Row>({
        {"the name was typed", true, "antwerp", false, true},
        {"another name was typed", true, "bruges", false, false},
        {"nothing was typed", true, "", false, false},
        {"a script", false, "antwerp", false, false},
        {"a script that means it", false, "", true, true},
    }));
    INFO(row.name);
    DaemonBench bench;
    std::string out, err;
    Terminal terminal([&out](std::string_view text) { out += text; }, [&err](std::string_view text) { err += text; },
                      {.can_ask = row.can_ask});
    bench.command.library = "antwerp";
    bench.command.force = row.force;
    bench.input = row.typed;
    const auto base = bench.context();
    const Context context{base.command, base.environment, terminal, base.clock, base.read_input, base.read_line};
    if (row.is_done) {
        std::deque<std::string> answers = {http_answer(200, R"({"ok":true})")};
        if (!row.force) {
            answers.push_front(http_answer(200, fresh));
        }
        const SocketServer server(bench.environment["SHELFD_SOCKET"], answers);
        CHECK(run_auth_forget(context) == ExitCode::done);
        CHECK(holds(out, "both copies of its token set are destroyed"));
    } else {
        CHECK(run_auth_forget(context) == ExitCode::usage);
        CHECK(holds(err, row.can_ask ? "was not changed" : "--force"));
    }
    CHECK(holds(bench.prompt, "destroys the token set of antwerp for good") == row.can_ask);
}

TEST_CASE("with --json, a failure before the first line is a last line as well")
{
    const auto ask_for_json = [](Command& command) {
        command.library = "antwerp";
        command.keys = {"7"};
        command.inquiry.paths = {"/x/"};
        command.output = Output::json;
    };
    for (const auto verb : {run_sync, run_wait, run_verify, run_probe}) {
        VerbBench absent;
        ask_for_json(absent.command);
        CHECK(verb(absent.context()) == ExitCode::no_daemon);
        CHECK(absent.captured.out.starts_with(R"({"event":"done","ok":false,"error":{"kind":")"));
        CHECK(holds(absent.captured.out, "there is no socket"));
        DaemonBench bench;
        ask_for_json(bench.command);
        const auto unknown = http_answer(404, R"({"error":{"kind":"usage","text":"there is no library antwerp"}})");
        CHECK(bench.run(verb, unknown) == ExitCode::usage);
        CHECK(bench.captured.out == R"({"event":"done","ok":false,"error":{"kind":"usage",)"
                                    R"("text":"there is no library antwerp"}})"
                                    "\n");
    }
    DaemonBench get;
    ask_for_json(get.command);
    const auto unknown = http_answer(404, R"({"error":{"kind":"usage","text":"there is no library antwerp"}})");
    CHECK(get.run(run_get, unknown) == ExitCode::usage);
    CHECK(get.captured.out == R"({"error":{"kind":"usage","text":"there is no library antwerp"}})"
                              "\n");
}

TEST_CASE("an import of a set that does not work says who writes the letter to its owner")
{
    DaemonBench bench;
    bench.command.library = "antwerp";
    bench.input = "{}";
    const auto dead = R"({"error":{"kind":"needs_person","text":"the access token in this set does not work; ask the )"
                      R"(owner for a new set; nothing was changed"}})";
    CHECK(bench.run(run_auth_import, http_answer(422, dead)) == ExitCode::needs_person);
    CHECK(holds(bench.captured.err, "ask the owner for a new set; nothing was changed\n"
                                    "shelfctl: a letter to the owner is printed by: shelfctl auth ask antwerp\n"));
}

TEST_CASE("the access token is printed alone")
{
    DaemonBench bench;
    bench.command.library = "antwerp";
    CHECK(bench.run(run_auth_token, http_answer(200, "token-of-antwerp")) == ExitCode::done);
    CHECK(bench.captured.out == "token-of-antwerp\n");
    CHECK(bench.captured.err.empty());
}

TEST_CASE("each verb about token sets answers a program with JSON alone")
{
    struct Row {
        const char* name;
        ExitCode (*verb)(const Context&);
        const char* answer;
        const char* printed;
    };
    const char* const report = R"({"ok":true,"library_id":"42","sealed":true,"text":"imported"})";
    const Row rows[] = {
        {"import", run_auth_import, report, report},
        {"move-in", run_auth_move_in, report, report},
        {"adopt", run_auth_adopt, R"({"ok":true,"text":"token store adopted"})",
         R"({"ok":true,"text":"token store adopted"})"},
        {"forget", run_auth_forget, R"({"ok":true})", R"({"ok":true})"},
        {"token", run_auth_token, "token-of-antwerp", R"({"library":"antwerp","access_token":"token-of-antwerp"})"},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        DaemonBench bench;
        bench.command.library = "antwerp";
        bench.command.output = Output::json;
        bench.command.force = true;
        bench.input = "{}";
        CHECK(bench.run(row.verb, http_answer(200, row.answer)) == ExitCode::done);
        CHECK(bench.captured.out == std::string(row.printed) + "\n");
        CHECK(bench.captured.err.empty());
    }
}

TEST_CASE("a reload shows what has changed; one that is refused shows why and exits 78")
{
    DaemonBench bench;
    CHECK(
        bench.run(run_reload, http_answer(200, R"({"ok":true,"changes":["library ghent added"],"warnings":["w"]})")) ==
        ExitCode::done);
    CHECK(bench.captured.out == "warning: w\nlibrary ghent added\n");

    DaemonBench same;
    CHECK(same.run(run_reload, http_answer(200, R"({"ok":true,"changes":[],"warnings":[]})")) == ExitCode::done);
    CHECK(same.captured.out == "configuration and client secrets were read again; nothing has changed\n");

    DaemonBench refused;
    CHECK(
        refused.run(run_reload, http_answer(422, R"({"error":{"kind":"config","text":"x.toml:3:1: unknown key"}})")) ==
        ExitCode::config);
    CHECK(holds(refused.captured.err, "shelfctl: x.toml:3:1: unknown key\n"));
    CHECK(holds(refused.captured.err, "the running configuration stays in use"));

    DaemonBench unopened;
    CHECK(
        unopened.run(run_reload, http_answer(500, R"({"error":{"kind":"storage","text":"mirror of two: cannot"}})")) ==
        ExitCode::storage);
    CHECK(holds(unopened.captured.err, "the running configuration stays in use; correct that, then: shelfctl reload"));

    DaemonBench stopping;
    stopping.run(run_reload, http_answer(503, R"({"error":{"kind":"stopped","text":"the daemon is stopping"}})"));
    CHECK_FALSE(holds(stopping.captured.err, "correct that"));
}

TEST_CASE("a refused reload as JSON is one object with the place of each fault and what to do")
{
    DaemonBench bench;
    bench.command.output = Output::json;
    const auto* faults = R"({"error":{"kind":"config","text":"/a: b/x.toml:3:1: unknown key: 4:5\nlost: 3:x: y\n)"
                         R"(y:12345678901234567890:1: z"}})";
    CHECK(bench.run(run_reload, http_answer(422, faults)) == ExitCode::config);
    CHECK(bench.captured.err.empty());
    const auto said = boost::json::parse(bench.captured.out).as_object();
    CHECK_FALSE(said.at("ok").as_bool());
    CHECK(said.at("error").at("kind").as_string() == "config");
    CHECK(holds(std::string(said.at("do_this").as_string()), "shelfctl config check"));
    const auto& all = said.at("faults").as_array();
    REQUIRE(all.size() == 3);
    CHECK(boost::json::serialize(all[0]) == R"({"file":"/a: b/x.toml","line":3,"column":1,"text":"unknown key: 4:5"})");
    CHECK(boost::json::serialize(all[1]) == R"({"file":null,"line":null,"column":null,"text":"lost: 3:x: y"})");
    CHECK(all[2].at("file").is_null());

    DaemonBench busy;
    busy.command.output = Output::json;
    CHECK(busy.run(run_reload, http_answer(409, R"({"error":{"kind":"busy","text":"later"}})")) != ExitCode::done);
    const auto refused = boost::json::parse(busy.captured.out).as_object();
    CHECK(refused.at("error").at("text").as_string() == "later");
    CHECK(refused.at("faults").as_array().empty());
    CHECK(refused.at("do_this").is_null());
}

TEST_CASE("the configuration is checked and shown without a daemon")
{
    VerbBench bench;
    write_file(bench.command.config_file, "[service]\nbase_url = \"https://api.example.com\"\nrate_limt = \"none\"\n");
    CHECK(run_config_check(bench.context()) == ExitCode::config);
    CHECK(holds(bench.captured.err, "shelfd.toml:3:1: "));
    CHECK(holds(bench.captured.err, "rate_limit"));
    CHECK(run_config_show(bench.context()) == ExitCode::config);

    VerbBench good;
    write_file(good.directory / "secret", "s3cret", 0600);
    write_file(good.command.config_file, "[service]\nbase_url = \"https://api.example.com\"\n"
                                         "[library.antwerp]\nclient_id = \"c\"\nclient_secret = { file = \"" +
                                             (good.directory / "secret") +
                                             "\" }\n[resource.recipes]\npath = \"/r/\"\nevery = \"15m\"\n");
    CHECK(run_config_check(good.context()) == ExitCode::done);
    CHECK(holds(good.captured.out, "shelfd.toml: ok, 1 library, 1 table\n"));
    write_file(good.command.config_file,
               read_file(good.command.config_file) + "[storage]\nmirrors = \"/nowhere/m\"\ntokens = \"/usr\"\n");
    CHECK(run_config_check(good.context()) == ExitCode::done);
    CHECK(holds(good.captured.err, "warning: storage.mirrors: there is no directory /nowhere/m on this machine\n"));
    CHECK_FALSE(holds(good.captured.err, "directory /usr"));
    good.captured.out.clear();
    good.command.print.origin = true;
    CHECK(run_config_show(good.context()) == ExitCode::done);
    CHECK(holds(good.captured.out, "every"));
    CHECK(holds(good.captured.out, "shelfd.toml:"));
    CHECK_FALSE(holds(good.captured.out, "s3cret"));
}

TEST_CASE("a check of the configuration names the new name of a library that was renamed by hand")
{
    VerbBench bench;
    const auto mirror_of = [&bench](const std::string& library, const std::string& id, const char* as_of) {
        std::filesystem::create_directories(bench.directory / ("mirrors/" + library));
        std::filesystem::create_directories(bench.directory / ("tokens/" + library));
        write_file(bench.directory / ("tokens/" + library + "/journal.a"), "");
        const auto file = bench.directory / ("mirrors/" + library + "/" + library + ".db");
        write_file(file, "");
        auto database = storage::Database::open(file, storage::OpenMode::read_write_create);
        REQUIRE(database);
        REQUIRE(database->execute(fmt::format("CREATE TABLE _meta (key TEXT, value TEXT);"
                                              "CREATE TABLE _resources (resource TEXT, as_of DATETIME);"
                                              "INSERT INTO _meta VALUES ('library_id', '{}');"
                                              "INSERT INTO _resources VALUES ('recipes', {});",
                                              id, as_of)));
    };
    write_file(bench.command.config_file,
               fmt::format("[service]\nbase_url = \"https://api.example.com\"\nidentity = {{ path = \"/me/\", field = "
                           "\"id\" }}\n[storage]\nmirrors = \"{0}/mirrors\"\ntokens = \"{0}/tokens\"\n"
                           "[resource.recipes]\npath = \"/r/\"\nevery = \"15m\"\n"
                           "[application.a]\nclient_id = \"c\"\nclient_secret = {{ command = [\"/bin/true\"] }}\n"
                           "[library.antwerpen]\napplication = \"a\"\nlibrary_id = 11\n"
                           "[library.lib13]\napplication = \"a\"\nlibrary_id = 13\n",
                           bench.directory.path()));
    mirror_of("lib11", "11", "'2026-01-01T00:00:00.000000Z'");
    mirror_of("lib12", "12", "'2026-01-01T00:00:00.000000Z'");
    mirror_of("antwerpen", "", "NULL");
    mirror_of("never", "", "NULL");
    // The first copy of this journal was lost.
    std::filesystem::create_directories(bench.directory / "tokens/lib14");
    write_file(bench.directory / "tokens/lib14/journal.b", "");
    CHECK(run_config_check(bench.context()) == ExitCode::done);
    INFO(bench.captured.err);
    CHECK(holds(bench.captured.err, "lib11 is no longer configured; its token journals, perhaps with a token set, and "
                                    "its mirror are kept. Renamed? shelfctl library rename lib11 antwerpen;"));
    CHECK(holds(bench.captured.err, "lib12 is no longer configured; "));
    CHECK(holds(bench.captured.err, "(to remove it: shelfctl library forget lib12)"));
    CHECK(holds(bench.captured.err, "lib14 is no longer configured; its token journals, perhaps with a token set, are "
                                    "kept"));
    CHECK(holds(bench.captured.err, "never is no longer configured; its mirror is kept, and no token set was imported "
                                    "yet (to remove it: shelfctl library forget never)"));
}

TEST_CASE("a check of the configuration as JSON holds its faults and warnings, and standard error stays empty")
{
    VerbBench bench;
    bench.command.output = Output::json;
    write_file(bench.command.config_file, "[service]\nbase_url = \"https://api.example.com\"\nrate_limt = \"none\"\n");
    CHECK(run_config_check(bench.context()) == ExitCode::config);
    const auto answer = boost::json::parse(bench.captured.out).as_object();
    CHECK(answer.at("ok") == false);
    CHECK(answer.at("libraries").is_null());
    const auto& fault = answer.at("faults").at(0);
    CHECK(fault.at("line") == 3);
    CHECK(fault.at("column") == 1);
    CHECK(fault.at("file").as_string().find("shelfd.toml") != std::string::npos);
    CHECK(holds(boost::json::serialize(fault.at("text")), "rate_limit"));
    bench.captured.out.clear();
    CHECK(run_config_show(bench.context()) == ExitCode::config);
    CHECK(boost::json::parse(bench.captured.out).at("faults").as_array().size() == 1);
    CHECK(bench.captured.err.empty());
}

TEST_CASE("the configuration as JSON has the tables and keys of the text, and where they were written")
{
    VerbBench bench;
    bench.command.output = Output::json;
    write_file(bench.directory / "secret", "s3cret", 0600);
    write_file(bench.command.config_file,
               "[service]\nbase_url = \"https://api.example.com\"\n"
               "[library.antwerp]\nclient_id = \"c\"\nclient_secret = { file = \"" +
                   (bench.directory / "secret") +
                   "\" }\n[library.ghent]\nclient_id = \"d\"\nclient_secret = { file = \"" +
                   (bench.directory / "secret") +
                   "\" }\n[resource.recipes]\npath = \"/r/\"\nevery = \"15m\"\nexclude = [\"a\", \"b.c\"]\n"
                   "[storage]\nmirrors = \"/nowhere/m\"\ntokens = \"/usr\"\n");
    CHECK(run_config_check(bench.context()) == ExitCode::done);
    const auto checked = boost::json::parse(bench.captured.out).as_object();
    CHECK(checked.at("ok") == true);
    CHECK(checked.at("libraries") == 2);
    CHECK(checked.at("tables") == 2);
    CHECK(holds(boost::json::serialize(checked.at("warnings").at(0).at("text")), "/nowhere/m"));
    CHECK(bench.captured.err.empty());

    bench.captured.out.clear();
    CHECK(run_config_show(bench.context()) == ExitCode::done);
    const auto shown = boost::json::parse(bench.captured.out).as_object();
    const auto& recipes = shown.at("library").at("antwerp").at("resource").at("recipes");
    CHECK(recipes.at("every") == "15m");
    CHECK(recipes.at("exclude") == boost::json::array({"a", "b.c"}));
    CHECK(shown.at("library").at("ghent").at("in_flight") == 8);
    CHECK(shown.at("storage").at("allow_unsafe") == false);
    CHECK(shown.at("library").at("antwerp").at("client_secret").at("file").is_string());
    CHECK_FALSE(shown.contains("origins"));
    CHECK_FALSE(holds(bench.captured.out, "s3cret"));

    bench.captured.out.clear();
    bench.command.print.origin = true;
    bench.command.library = "ghent";
    CHECK(run_config_show(bench.context()) == ExitCode::done);
    const auto one = boost::json::parse(bench.captured.out).as_object();
    CHECK_FALSE(one.contains("storage"));
    CHECK_FALSE(one.at("library").as_object().contains("antwerp"));
    CHECK(one.at("origins").at("library.ghent.client_id").at("line") == 7);
    CHECK_FALSE(one.at("origins").as_object().contains("library.antwerp.client_id"));
}

TEST_CASE("a wait as JSON prints the lines of the daemon and nothing else")
{
    DaemonBench bench;
    bench.command.output = Output::json;
    const std::string waiting = R"({"event":"waiting","for":["antwerp recipes: filling"]})";
    CHECK(bench.run(run_wait, http_answer(200, waiting + "\n" + done + "\n")) == ExitCode::done);
    CHECK(bench.captured.out == waiting + "\n" + done + "\n");
    CHECK(bench.captured.err.empty());
}

TEST_CASE("a set is moved out to a pipe, to a terminal only when that is wished, and its document stays off the errors")
{
    DaemonBench bench;
    bench.command.library = "antwerp";
    bench.command.auth.destination = "shelf2";
    CHECK(bench.run(run_auth_move_out, http_answer(200, "the-document")) == ExitCode::done);
    CHECK(bench.captured.out == "the-document\n");
    CHECK(holds(bench.request, R"({"library":"antwerp","to":"shelf2"})"));
    CHECK(holds(bench.captured.err, "shelfctl auth move-in antwerp < FILE"));
    CHECK_FALSE(holds(bench.captured.err, "the-document"));
    VerbBench shown;
    shown.command.library = "antwerp";
    CapturedTerminal terminal({.is_terminal = true});
    const auto context = shown.context();
    const Context at_terminal{context.command, context.environment, terminal.terminal, context.clock,
                              context.read_input};
    CHECK(run_auth_move_out(at_terminal) == ExitCode::usage);
    CHECK(holds(terminal.err, "umask 077"));
    shown.command.force = true;
    CHECK(run_auth_move_out(at_terminal) == ExitCode::no_daemon);
}

TEST_CASE("what was moved out is handed to the daemon as it is")
{
    DaemonBench bench;
    bench.command.library = "antwerp";
    bench.input = "the-document";
    CHECK(bench.run(run_auth_move_in, http_answer(200, R"({"ok":true,"text":"in force"})")) == ExitCode::done);
    CHECK(holds(bench.request, "POST /v1/auth/move-in?library=antwerp HTTP/1.1"));
    CHECK(holds(bench.request, "\r\n\r\nthe-document"));
    CHECK(bench.captured.out == "in force\n");
}

}  // namespace
}  // namespace shelfd::ctl

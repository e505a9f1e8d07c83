// Sets of all libraries that move, against a daemon of prepared answers.
#include "ctl/served_verb.hpp"
#include "support/catch.hpp"

#include <deque>
#include <vector>

namespace shelfd::ctl {
namespace {

constexpr auto four = R"({"format_version":1,"now":"2024-01-06T06:00:00Z","headline":"","absent":["luik"],)"
                      R"("libraries":[{"name":"antwerp","token":{"state":"good"}},)"
                      R"({"name":"brugge","token":{"state":"ends"}},{"name":"gent","token":{"state":"none"}},)"
                      R"({"name":"hasselt","token":{"state":"good"}},{"name":"ieper","token":{"state":"moved"}}]})";
constexpr auto no_use = R"({"error":{"kind":"usage","text":"brugge has no set that another machine could use"}})";
constexpr auto elsewhere = R"({"error":{"kind":"usage","text":"the set of ieper was moved already, to other"}})";

bool holds(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

struct MoveBench : ServedVerb {
    Terminal::Traits traits;

    MoveBench() { command.all = true; }

    ExitCode run(ExitCode (*verb)(const Context&), std::deque<std::string> answers)
    {
        CapturedTerminal terminal(traits);
        const auto given = context();
        const Context all{given.command, given.environment, terminal.terminal, given.clock, given.read_input};
        const auto code = ServedVerb::run(verb, all, std::move(answers));
        captured.out = terminal.out;
        captured.err = terminal.err;
        return code;
    }
    bool complains(const std::string& part) const { return holds(captured.err, part); }
};

TEST_CASE(
    "the sets of all libraries are printed a line each; what has none is skipped; one that is refused stops no other")
{
    MoveBench bench;
    bench.command.auth.destination = "shelf 2";
    const auto code = bench.run(run_auth_move_out,
                                {http_answer(200, four), http_answer(200, "set-of-antwerp"), http_answer(400, no_use),
                                 http_answer(200, "set-of-hasselt"), http_answer(400, elsewhere)});
    INFO(bench.captured.err);
    CHECK(code == ExitCode::usage);
    CHECK(bench.captured.out == "set-of-antwerp\nset-of-hasselt\n");
    CHECK(holds(bench.requests[1], R"({"library":"antwerp","to":"shelf 2"})"));
    CHECK(bench.complains("luik: not moved, it is configured, but not running"));
    CHECK(bench.complains("brugge: not moved, brugge has no set that another machine could use"));
    CHECK(bench.complains("gent: skipped, it has no token set"));
    CHECK(bench.complains("ieper: skipped, the set of ieper was moved already, to other"));
    CHECK(bench.complains("2 sets are secret and no longer used here"));
    CHECK(bench.complains("shelfctl auth move-out --all --to 'shelf 2' prints it again"));
    CHECK_FALSE(bench.complains("set-of-"));
}

TEST_CASE("with nothing but skipped libraries the move of all succeeds")
{
    MoveBench bench;
    constexpr auto none = R"({"format_version":1,"libraries":[{"name":"gent","token":{"state":"none"}}]})";
    CHECK(bench.run(run_auth_move_out, {http_answer(200, none)}) == ExitCode::done);
    CHECK(bench.captured.out.empty());
    CHECK(bench.complains("no set was moved"));
}

TEST_CASE("before an output that loses what is written nothing is asked for, of one library or of all")
{
    for (const bool all : {true, false}) {
        MoveBench bench;
        bench.command.all = all;
        bench.command.library = all ? "" : "antwerp";
        bench.traits.check_output = [] { return Error(ErrorKind::storage, "cannot write to standard output: full"); };
        CHECK(bench.run(run_auth_move_out, {}) == ExitCode::storage);
        CHECK(bench.complains("full; no set was moved"));
        MoveBench terminal;
        terminal.traits.is_terminal = true;
        CHECK(terminal.run(run_auth_move_out, {}) == ExitCode::usage);
        CHECK(terminal.complains("(umask 077; shelfctl auth move-out --all >all.sets)"));
    }
}

TEST_CASE("an output that fails on the way stops the move with what brings the set back, and marks no further one")
{
    MoveBench bench;
    int asked = 0;
    bench.traits.has_failed = [&asked] { return ++asked > 1; };
    const auto code = bench.run(run_auth_move_out, {http_answer(200, four), http_answer(200, "set-of-antwerp"),
                                                    http_answer(400, no_use), http_answer(200, "set-of-hasselt")});
    CHECK(code == ExitCode::storage);
    CHECK(
        bench.complains("the set of hasselt is marked as moved, and perhaps was not printed. It is not lost: shelfctl "
                        "auth move-out --all prints it again, shelfctl auth adopt hasselt takes it back"));
    CHECK_FALSE(bench.complains("ieper"));
}

TEST_CASE("a daemon that goes away on the way is named with what goes on")
{
    MoveBench bench;
    CHECK(bench.run(run_auth_move_out, {http_answer(200, four), ""}) != ExitCode::done);
    CHECK(bench.complains("stopped at antwerp; shelfctl auth move-out --all continues"));
}

TEST_CASE(
    "each line goes into the library that it names; unknown ones and broken lines are named, and the others go on")
{
    MoveBench bench;
    bench.input = "{\"library\": \"unknown\", \"access_token\": \"t1\"}\n"
                  "{\"library\": \"hasselt\", \"access_token\": \"t2\"}\n"
                  "\n"
                  "{\"access_token\": \"\\\"library\\\": \\\"x\\\"\", \"scope\": \"library\", \"library\":\"gent\"}\r\n"
                  "{\"library\": \"luik\"}\n"
                  "{\"library\": \"brugge\", \"access_token\": \"t3\"}\n"
                  "{\"access_token\": \"t4";
    constexpr auto taken = R"({"ok":true,"text":"token set accepted","sealed":true})";
    constexpr auto refused = R"({"error":{"kind":"needs_person","text":"issued by another service"}})";
    const std::deque<std::string> answers = {http_answer(200, four), http_answer(200, taken),
                                             http_answer(409, refused)};
    SECTION("as text")
    {
        CHECK(bench.run(run_auth_move_in, answers) == ExitCode::usage);  // of the last line
        INFO(bench.captured.err);
        CHECK(bench.captured.out == "gent: token set accepted\n");
        CHECK(holds(bench.requests[1], "POST /v1/auth/move-in?library=gent HTTP/1.1"));
        CHECK(holds(bench.requests[1], "\"scope\": \"library\""));
        CHECK(holds(bench.requests[2], "\r\n\r\n{\"library\": \"brugge\", \"access_token\": \"t3\"}"));
        CHECK(bench.complains("unknown: not moved in, no library has this name here: add [library.unknown]"));
        CHECK(bench.complains("shelfctl library add unknown --no-set"));
        CHECK(bench.complains("hasselt: skipped, it has a token set that works here"));
        CHECK(bench.complains("luik: not moved in, it is configured, but not running"));
        CHECK(bench.complains("brugge: not moved in, issued by another service"));
        CHECK(bench.complains("line 7 was not written by shelfctl auth move-out, or its end is missing"));
        CHECK_FALSE(bench.complains("t1"));
        CHECK_FALSE(bench.complains("t4"));
    }
    SECTION("as JSON, a line for each library")
    {
        bench.command.output = Output::json;
        CHECK(bench.run(run_auth_move_in, answers) == ExitCode::usage);
        CHECK(holds(bench.captured.out, R"({"library":"unknown","error":"no library has this name here)"));
        CHECK(holds(bench.captured.out, R"({"library":"hasselt","skipped":"it has a token set that works here)"));
        CHECK(holds(bench.captured.out, R"({"library":"gent","ok":true,"text":"token set accepted","sealed":true})"));
        CHECK(holds(bench.captured.out, R"({"library":"brugge","error":"issued by another service"})"));
    }
}

TEST_CASE("a set that was just taken is not replaced by a second line for the same library")
{
    MoveBench bench;
    bench.input = "{\"library\": \"gent\", \"generation\": 7}\n{\"library\": \"gent\", \"generation\": 3}\n";
    CHECK(bench.run(run_auth_move_in, {http_answer(200, four), http_answer(200, R"({"ok":true,"text":"in force"})")}) ==
          ExitCode::done);
    CHECK(bench.captured.out == "gent: in force\n");
    CHECK(bench.complains("gent: skipped"));
}

TEST_CASE("a move of all ends where the daemon does, and says that the same input goes on")
{
    MoveBench bench;
    bench.input = "{\"library\": \"gent\"}\n{\"library\": \"brugge\"}\n";
    CHECK(bench.run(run_auth_move_in, {http_answer(200, four), ""}) != ExitCode::done);
    CHECK(bench.complains("stopped at gent; see: shelfctl auth status gent; the same input again continues"));
    CHECK(bench.requests.size() == 2);
}

TEST_CASE("an adoption warns of sets that are older than what was in use here")
{
    constexpr auto done = R"({"ok":true,"text":"token store adopted"})";
    constexpr auto old = R"({"format_version":1,"libraries":[{"name":"antwerp","token":{"state":"good",)"
                         R"("reason":"the adopted token set is older","do_this":"import another"}},)"
                         R"({"name":"gent","token":{"state":"good","reason":"not adopted"}}]})";
    MoveBench one;
    one.command.all = false;
    one.command.library = "antwerp";
    CHECK(one.run(run_auth_adopt, {http_answer(200, done), http_answer(200, old)}) == ExitCode::done);
    CHECK(holds(one.captured.out, "antwerp: this store is now in use"));
    CHECK(one.complains("warning: antwerp: the adopted token set is older; import another"));
    CHECK_FALSE(one.complains("gent"));

    MoveBench all;
    constexpr auto copied = R"({"format_version":1,"libraries":[{"name":"antwerp","token":{"state":"copied"}},)"
                            R"({"name":"gent","token":{"state":"good"}}]})";
    CHECK(all.run(run_auth_adopt, {http_answer(200, copied), http_answer(200, done), http_answer(200, old)}) ==
          ExitCode::done);
    CHECK(holds(all.captured.out, "1 store is in use here now"));
    CHECK(all.complains("warning: antwerp: the adopted token set is older; import another"));
    CHECK_FALSE(all.complains("gent"));
}

}  // namespace
}  // namespace shelfd::ctl

#include "ctl/socket_server.hpp"
#include "ctl/verb/verbs.hpp"
#include "ctl/verb_bench.hpp"
#include "support/catch.hpp"

#include <unistd.h>

namespace shelfd::ctl {
namespace {

struct HeldBench : VerbBench {
    std::string request;

    HeldBench()
    {
        command.verb = Verb::held;
        command.library = "antwerp";
        command.resource = "recipes";
    }
    ExitCode run(int status, const std::string& answer)
    {
        ::unlink(environment["SHELFD_SOCKET"].c_str());  // of the call before
        SocketServer server(environment["SHELFD_SOCKET"], {http_answer(status, answer)});
        captured.out.clear();
        const auto code = run_held(context());
        request = server.requests().front();
        return code;
    }
    bool asked(const std::string& part) const { return request.find(part) != std::string::npos; }
};

constexpr auto two_rows = R"({"ok":true,"waiting":1,"kept":1,"rows":[)"
                          R"({"key":"42","since":"2024-01-06T06:00:00Z","kept":false,"why":"the list lacks it"},)"
                          R"({"key":"\"a\"","since":"2024-01-05T06:00:00Z","kept":true,"why":"the list lacks it"}]})";

TEST_CASE("held rows are listed with since when and why, and with what to type")
{
    HeldBench bench;
    CHECK(bench.run(200, two_rows) == ExitCode::done);
    CHECK(bench.asked("POST /v1/held HTTP/1.1"));
    CHECK(bench.asked(R"({"library":"antwerp","resource":"recipes"})"));
    CHECK(bench.captured.out == "KEY  SINCE                 STATE  WHY\n"
                                "42   2024-01-06T06:00:00Z  held   the list lacks it\n"
                                "\"a\"  2024-01-05T06:00:00Z  kept   the list lacks it\n\n"
                                "1 row of antwerp recipes waits for a decision:\n"
                                "  shelfctl held antwerp recipes --keep     they exist: keep them\n"
                                "  shelfctl held antwerp recipes --accept   they were deleted: delete them now\n");
    bench.command.output = Output::json;
    CHECK(bench.run(200, two_rows) == ExitCode::done);
    CHECK(bench.captured.out == std::string(two_rows) + "\n");
}

TEST_CASE("a table without held rows says so, and a long list says how much is left out")
{
    HeldBench bench;
    CHECK(bench.run(200, R"({"ok":true,"waiting":0,"kept":0,"rows":[]})") == ExitCode::done);
    CHECK(bench.captured.out == "no row of antwerp recipes waits for a decision\n");
    CHECK(bench.run(200, R"({"ok":true,"waiting":7000,"kept":2,"rows":[{"key":"1","kept":false}]})") == ExitCode::done);
    CHECK(bench.captured.out.find("… and 7001 more\n\n7000 rows of antwerp recipes wait for") != std::string::npos);
}

TEST_CASE("a decision names the rows it is about and says what became of them")
{
    HeldBench bench;
    bench.command.fate = HeldFate::accept;
    CHECK(bench.run(200, R"({"ok":true,"rows":5,"left":0})") == ExitCode::done);
    CHECK(bench.asked("POST /v1/held/decide"));
    CHECK(bench.asked(R"("keys":[],"fate":"accept"})"));
    CHECK(bench.captured.out == "5 rows removed; 0 still wait for a decision\n");
    bench.command.fate = HeldFate::keep;
    bench.command.keys = {"42", "a\"b"};
    CHECK(bench.run(200, R"({"ok":true,"rows":1,"left":1})") == ExitCode::done);
    CHECK(bench.asked(R"("keys":["42","a\"b"],"fate":"keep"})"));
    CHECK(bench.captured.out == "1 row kept; 1 still waits for a decision\n");
    CHECK(bench.run(404, R"({"error":{"kind":"not_found","text":"42 is no held row"}})") == ExitCode::usage);
    CHECK(bench.captured.err == "shelfctl: 42 is no held row\n");
}

TEST_CASE("rows without a decision are a mistake, not a decision")
{
    HeldBench bench;
    bench.command.keys = {"42"};
    CHECK(run_held(bench.context()) == ExitCode::usage);
    CHECK(bench.captured.err.find("--accept or --keep") != std::string::npos);
}

}  // namespace
}  // namespace shelfd::ctl

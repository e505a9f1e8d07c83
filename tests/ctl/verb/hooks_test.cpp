#include "ctl/socket_server.hpp"
#include "ctl/verb/verbs.hpp"
#include "ctl/verb_bench.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <unistd.h>

namespace shelfd::ctl {
namespace {

struct HooksBench : VerbBench {
    std::string request;

    ExitCode run(ExitCode (*verb)(const Context&), int status, const std::string& answer)
    {
        ::unlink(environment["SHELFD_SOCKET"].c_str());  // of the call before
        SocketServer server(environment["SHELFD_SOCKET"], {http_answer(status, answer)});
        captured.out.clear();
        const auto code = verb(context());
        request = server.requests().front();
        return code;
    }
    bool asked(const std::string& part) const { return request.find(part) != std::string::npos; }
    bool printed(const std::string& part) const { return captured.out.find(part) != std::string::npos; }
};

constexpr auto report =
    R"({"hooks":[{"name":"mail","target":"/bin/mail","on":["page","ticket"],"waiting":2,"waiting_since":"2024-01-06T05:10:00Z",)"
    R"("called":null,)"
    R"("trouble":"/bin/mail exited with 1","next_try":"2024-01-06T06:00:10Z"}],)"
    R"("incidents":[{"id":"20240106-3","cause":"service","severity":"ticket","title":"the service fails",)"
    R"("why":"the service answered 502","do_this":"","who":"service","since":"2024-01-06T05:00:00Z",)"
    R"("libraries":["a","b","c","d"],"called":["chat"],"dropped":["desk"],)"
    R"("waiting":[{"hook":"mail","since":"2024-01-06T05:10:00Z"}]}],)"
    R"("ended":[{"id":"20240105-2","severity":"page","title":"the token set is lost","why":"it was revoked",)"
    R"("since":"2024-01-05T03:00:00Z","ended":"2024-01-05T04:00:00Z","libraries":["ghent"]}],)"
    R"("silences":[{"library":"ghent","until":"2024-01-06T08:00:00Z"}],"dropped":1})";

TEST_CASE("hooks are listed with waiting calls and why, incidents with the hooks called, silences with how to end them")
{
    HooksBench bench;
    CHECK(bench.run(run_hooks_list, 200, report) == ExitCode::done);
    CHECK(bench.asked("GET /v1/alerts HTTP/1.1"));
    CHECK(bench.printed("mail  /bin/mail  page ticket  -"));
    CHECK(bench.printed("2, since 2024-01-06T05:10:00Z"));
    CHECK(bench.printed("mail does not accept its calls: /bin/mail exited with 1; next try 2024-01-06T06:00:10Z\n"
                        "  correct that, then: shelfctl hooks test mail\n"));
    CHECK(bench.printed("1 calls have been dropped"));
    CHECK(bench.printed("20240106-3 ticket a, b, c and 1 more library: the service fails, since 2024-01-06T05:00:00Z\n"
                        "  the service answered 502\n"
                        "  called: chat\n"
                        "  has not been accepted by mail since 2024-01-06T05:10:00Z\n"
                        "  never accepted, and dropped: desk\n"));
    CHECK(bench.printed("\nended within the last week:\n"
                        "20240105-2 page ghent: the token set is lost, from 2024-01-05T03:00:00Z to "
                        "2024-01-05T04:00:00Z: it was revoked\n"));
    CHECK(bench.printed("ghent is silenced until 2024-01-06T08:00:00Z; to end that: shelfctl silence ghent off\n"));
    bench.command.output = Output::json;
    CHECK(bench.run(run_hooks_list, 200, report) == ExitCode::done);
    CHECK(bench.captured.out == report);
}

TEST_CASE("without hooks the list says that nothing is announced")
{
    HooksBench bench;
    CHECK(bench.run(run_hooks_list, 200, R"({"hooks":[],"incidents":[],"silences":[],"dropped":0})") == ExitCode::done);
    CHECK(bench.printed("no hook is configured, so nothing is announced"));
    CHECK(bench.printed("no incident"));
}

TEST_CASE("a test of a hook ends with what the hook said")
{
    HooksBench bench;
    bench.command.alerts.hook = "mail";
    CHECK(bench.run(run_hooks_test, 200, R"({"ok":true})") == ExitCode::done);
    CHECK(bench.asked("POST /v1/hooks/test"));
    CHECK(bench.asked(R"({"hook":"mail"})"));
    CHECK(bench.captured.out == "hook mail has accepted the test\n");
    bench.command.output = Output::json;
    CHECK(bench.run(run_hooks_test, 200, R"({"ok":true})") == ExitCode::done);
    CHECK(bench.captured.out == "{\"ok\":true}\n");
    CHECK(bench.run(run_hooks_test, 502,
                    R"({"error":{"kind":"refused","text":"hook mail did not accept the test"}})") != ExitCode::done);
}

TEST_CASE("a silence names its library, or all of them, and says until when")
{
    HooksBench bench;
    bench.command.library = "antwerp";
    bench.command.alerts.silence = std::chrono::hours(2);
    CHECK(bench.run(run_silence, 200, R"({"until":"2024-01-06T08:00:00Z"})") == ExitCode::done);
    CHECK(bench.asked("POST /v1/silence"));
    CHECK(bench.asked(R"("library":"antwerp","seconds":7.2E3)"));
    CHECK(bench.printed("antwerp is silenced until 2024-01-06T08:00:00Z"));
    bench.command.library = "*";
    bench.command.alerts.silence.reset();
    CHECK(bench.run(run_silence, 200, R"({"until":null})") == ExitCode::done);
    CHECK(bench.asked(R"("library":"","seconds":0E0)"));
    CHECK(bench.captured.out == "no library is silenced any longer\n");
}

TEST_CASE("a silence that was longer before is said")
{
    HooksBench bench;
    bench.command.library = "antwerp";
    bench.command.alerts.silence = std::chrono::hours(2);
    CHECK(bench.run(run_silence, 200, R"({"until":"2024-01-06T08:00:00Z","longer":1})") == ExitCode::done);
    CHECK(bench.printed("antwerp is silenced until 2024-01-06T08:00:00Z (as before: a shorter silence changes "
                        "nothing): its problems"));
    bench.command.library = "*";
    CHECK(bench.run(run_silence, 200, R"({"until":"2024-01-06T08:00:00Z","longer":2})") == ExitCode::done);
    CHECK(bench.printed("every library is silenced until 2024-01-06T08:00:00Z (2 of them for longer, as before): "));
}

TEST_CASE("libraries that are silenced until the same time are one line, and ended incidents count all libraries")
{
    HooksBench bench;
    std::string silences = R"({"library":"antwerp","until":"2024-01-06T09:00:00Z"})";
    std::string names;
    for (int i = 0; i < 100; ++i) {
        silences += fmt::format(R"(,{{"library":"lib{}","until":"2024-01-06T08:00:00Z"}})", i);
        names += fmt::format(R"({}"lib{}")", i == 0 ? "" : ",", i);
    }
    CHECK(bench.run(run_hooks_list, 200,
                    fmt::format(R"({{"hooks":[],"incidents":[],"silences":[{}],"dropped":0,"ended":[{{"id":"1",)"
                                R"("libraries":[{}],"library_count":383}}]}})",
                                silences, names)) == ExitCode::done);
    CHECK(bench.printed("antwerp is silenced until 2024-01-06T09:00:00Z; to end that: shelfctl silence antwerp off\n"
                        "lib0, lib1, lib2 and 97 more libraries are silenced until 2024-01-06T08:00:00Z; to end that "
                        "for the first: shelfctl silence lib0 off; to end all silences: shelfctl silence '*' off\n"));
    CHECK(bench.printed("lib0, lib1, lib2 and 380 more libraries: "));
}

}  // namespace
}  // namespace shelfd::ctl

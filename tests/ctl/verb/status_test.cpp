// What `shelfctl status` shows of a part of the status, and while it watches.
#include "ctl/socket_server.hpp"
#include "ctl/verb_bench.hpp"
#include "support/catch.hpp"

#include <unistd.h>

namespace shelfd::ctl {
namespace {

constexpr auto fresh = R"({"format_version":1,"pid":1,"now":"2024-01-06T06:00:00Z","headline":"all 2 tables fresh",)"
                       R"("libraries":[{"name":"antwerp","state":"fresh","resources":[{"name":"recipes",)"
                       R"("state":"fresh","as_of":"2024-01-06T05:59:00Z"}]},{"name":"ghent","state":"fresh",)"
                       R"("resources":[{"name":"stock","state":"fresh","as_of":"2024-01-06T05:59:00Z"}]}]})";

TEST_CASE("the status of one library has a headline of its own")
{
    VerbBench bench;
    bench.command.library = "ghent";
    const SocketServer server(bench.environment["SHELFD_SOCKET"], {http_answer(200, fresh)});
    CHECK(run_status(bench.context()) == ExitCode::done);
    CHECK(bench.captured.out.starts_with("1 table fresh\n"));
}

TEST_CASE("a state that no table has is told")
{
    VerbBench bench;
    bench.command.status.state = TableState::late;
    const SocketServer server(bench.environment["SHELFD_SOCKET"], {http_answer(200, fresh)});
    CHECK(run_status(bench.context()) == ExitCode::done);
    CHECK(bench.captured.out == "no table is in the state late\n");
}

TEST_CASE("of an incident that is over the status says what it was and when, for a week")
{
    constexpr auto alerts =
        R"({"hooks":[],"incidents":[],"ended":[{"id":"20240105-2","severity":"page","title":"the token set is lost",)"
        R"("why":"it was revoked","since":"2024-01-05T03:00:00Z","ended":"2024-01-05T04:00:00Z",)"
        R"("libraries":["ghent"]}],"silences":[],"dropped":0})";
    VerbBench bench;
    bench.command.status.problem = "20240105-2";
    const auto show = [&bench, alerts] {
        bench.captured.out.clear();
        ::unlink(bench.environment["SHELFD_SOCKET"].c_str());
        const SocketServer server(bench.environment["SHELFD_SOCKET"],
                                  {http_answer(200, fresh), http_answer(200, alerts)});
        return run_status(bench.context());
    };
    CHECK(show() == ExitCode::done);
    CHECK(bench.captured.out ==
          "it is over: 20240105-2 page ghent: the token set is lost, from 2024-01-05T03:00:00Z to "
          "2024-01-05T04:00:00Z: it was revoked\n");
    bench.command.output = Output::json;
    CHECK(show() == ExitCode::done);
    CHECK(bench.captured.out == "[]\n");
    bench.command.status.problem = "20240105-3";
    CHECK(show() == ExitCode::usage);
    CHECK(bench.captured.err.find("there is no problem 20240105-3 now") != std::string::npos);
}

TEST_CASE("a watch goes on while the daemon restarts, and says that it does not answer")
{
    VerbBench bench;
    bench.command.status.watch = true;
    constexpr auto stranger = R"({"error":{"kind":"permission","text":"uid 7 may not use this daemon"}})";
    const SocketServer server(bench.environment["SHELFD_SOCKET"],
                              {http_answer(200, fresh), "", http_answer(200, fresh), http_answer(403, stranger)});
    CHECK(run_status(bench.context()) == ExitCode::permission);  // it was asked again, and that ends it
    const auto& shown = bench.captured.out;
    INFO(shown);
    CHECK(shown.starts_with("all 2 tables fresh\n"));
    CHECK(shown.find("the daemon does not answer, tried every 2 s: ") != std::string::npos);
}

}  // namespace
}  // namespace shelfd::ctl

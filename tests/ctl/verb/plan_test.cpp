#include "ctl/mirror_bench.hpp"
#include "ctl/socket_server.hpp"
#include "ctl/verb/verbs.hpp"
#include "support/catch.hpp"

namespace shelfd::ctl {
namespace {

// A configuration of two tables over the mirror of antwerp.
struct PlanBench : MirrorBench {
    PlanBench()
    {
        command.verb = Verb::plan;
        write("100/min", "15m");
    }
    void write(const std::string& limit, const std::string& every)
    {
        const auto secret = directory / "secret";
        write_file(secret, "s");
        write_file(command.config_file, "[storage]\nmirrors = \"" + (directory / "mirrors") +
                                            "\"\n[service]\nbase_url = "
                                            "\"https://api.example.com\"\nrate_limit = \"" +
                                            limit +
                                            "\"\n[resource.outlets]\npath = \"/o/\"\nevery = "
                                            "\"1h\"\n[resource.recipes]\npath = \"/r/\"\nevery = \"" +
                                            every +
                                            "\"\n[library.antwerp]\nclient_id = \"x\"\nclient_secret = { file = \"" +
                                            secret + "\" }\n");
    }
    bool says(const std::string& part) const { return captured.out.find(part) != std::string::npos; }
};

TEST_CASE("a plan is made of the configuration and of what the mirror has measured, without a daemon")
{
    PlanBench bench;
    bench.load(R"({"id":1},{"id":2})");
    const auto code = run_plan(bench.context());
    INFO(bench.captured.out << bench.captured.err);
    CHECK(code == ExitCode::done);
    CHECK(bench.says("antwerp recipes  full    every 15m         1      0.07  earlier passes"));
    CHECK(bench.says("antwerp outlets  full    every 1h          ?         ?  unknown"));
    CHECK(bench.says("100 allowed: sufficient, as far as known\n"));
    CHECK(bench.says("a first load of them takes a minute for each 100 pages, and for each 100 items with details\n"));
    CHECK(bench.says("lists marked ? count as one page a pass, the least: "));
}

TEST_CASE("a plan says in which hours nothing is fetched")
{
    PlanBench bench;
    bench.load(R"({"id":1},{"id":2})");
    write_file(bench.command.config_file, read_file(bench.command.config_file) + "quiet = [\"22:00-06:00\"]\n");
    CHECK(run_plan(bench.context()) == ExitCode::done);
    INFO(bench.captured.out << bench.captured.err);
    CHECK(bench.says("every 15m, not 22:00-06:00"));
    CHECK(bench.says("in the quiet hours (22:00-06:00) nothing is fetched by schedule, first loads included: the "
                     "figures are those of the other hours\n"));
    bench.captured.out.clear();
    bench.command.output = Output::json;
    CHECK(run_plan(bench.context()) == ExitCode::done);
    CHECK(bench.says("\"quiet\":\"22:00-06:00\""));
    CHECK(bench.says("\"share_of_day\":"));
}

TEST_CASE("a plan that cannot be met says what starves, and exits 1")
{
    PlanBench bench;
    bench.load(R"({"id":1})");
    bench.load(R"({"id":1})", "outlets");
    bench.change("UPDATE _runs SET requests = 40");
    bench.write("10/min", "1m");
    CHECK(run_plan(bench.context()) == ExitCode::failed);
    CHECK(bench.says("41.7 requests a minute are needed, 10 allowed: not sufficient"));
    CHECK(bench.says("these starve: full passes of antwerp recipes\n"));
    CHECK(bench.says("a first load takes 82 requests: at least 7 min"));
    bench.captured.out.clear();
    bench.command.output = Output::json;
    CHECK(run_plan(bench.context()) == ExitCode::failed);
    CHECK(bench.says(R"("fits":false)"));
    CHECK(bench.says(R"("all_known":true)"));
}

TEST_CASE("a plan of lists that were never read cannot be met if a page for each pass is too much")
{
    PlanBench bench;
    bench.write("5/min", "5s");
    CHECK(run_plan(bench.context()) == ExitCode::failed);
    INFO(bench.captured.out);
    CHECK(bench.says("13.1 requests a minute are needed, 5 allowed: not sufficient"));
    CHECK(bench.says("these starve: full passes of antwerp recipes\n"));
}

TEST_CASE("a plan counts with the limit in force, and says who narrowed it")
{
    PlanBench bench;
    bench.load(R"({"id":1})");
    bench.load(R"({"id":1})", "outlets");
    bench.change("UPDATE _runs SET requests = 40");
    bench.write("100/min", "1m");
    const auto status = R"({"format_version":1,"libraries":[{"name":"antwerp","budget":{"group":"antwerp","limit":10,)"
                        R"("configured":100,"narrowed_by":"the answers of the service name this limit"}}]})";
    const SocketServer server(bench.environment["SHELFD_SOCKET"], {http_answer(200, status)});
    CHECK(run_plan(bench.context()) == ExitCode::failed);
    INFO(bench.captured.out);
    CHECK(bench.says("41.7 requests a minute are needed, 10 allowed: not sufficient"));
    CHECK(bench.says("the limit in force: 10 requests a minute: the answers of the service name this limit; 100 are "
                     "configured\n"));
}

TEST_CASE("a plan names the user whose libraries share a limit, as the daemon found it")
{
    PlanBench bench;
    bench.load(R"({"id":1})");
    bench.load(R"({"id":1})", "outlets");
    bench.write("100/min", "1h");
    const auto status = R"({"format_version":1,"libraries":[{"name":"antwerp","budget":{"group":"ghent","limit":60,)"
                        R"("configured":100,"narrowed_by":"","user":"7","libraries":["antwerp","ghent"]}}]})";
    const SocketServer server(bench.environment["SHELFD_SOCKET"], {http_answer(200, status), http_answer(200, status)});
    CHECK(run_plan(bench.context()) == ExitCode::done);
    INFO(bench.captured.out);
    CHECK(bench.says("60 allowed"));
    CHECK(bench.says("antwerp, ghent are one user of the service (7) and share this limit\n"));
    bench.captured.out.clear();
    bench.command.output = Output::json;
    CHECK(run_plan(bench.context()) == ExitCode::done);
    CHECK(bench.says(R"("limit_group":"ghent","libraries":["antwerp"],"user":"7")"));
}

TEST_CASE("a plan says that the service wants no requests for a while")
{
    PlanBench bench;
    bench.write("100/min", "1m");
    const auto status = R"({"format_version":1,"libraries":[{"name":"antwerp","budget":{"group":"antwerp","limit":100,)"
                        R"("configured":100,"paused_until":"2999-01-06T06:00:00.000000Z"}}]})";
    const SocketServer server(bench.environment["SHELFD_SOCKET"], {http_answer(200, status)});
    run_plan(bench.context());
    INFO(bench.captured.out);
    CHECK(bench.says(
        "rate limited by the service: no requests until 2999-01-06T06:00:00Z: nothing is fetched until then\n"));
}

TEST_CASE("a plan for what is not configured, or of a configuration with faults, says so")
{
    PlanBench bench;
    bench.command.library = "gent";
    CHECK(run_plan(bench.context()) == ExitCode::usage);
    CHECK(bench.captured.err.find("there is no library gent") != std::string::npos);
    write_file(bench.command.config_file, "[servce]\n");
    CHECK(run_plan(bench.context()) == ExitCode::config);
}

}  // namespace
}  // namespace shelfd::ctl

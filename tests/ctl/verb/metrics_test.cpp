#include "ctl/daemon/exposition.hpp"
#include "ctl/socket_server.hpp"
#include "ctl/verb/verbs.hpp"
#include "ctl/verb_bench.hpp"
#include "support/catch.hpp"

#include <filesystem>

#include <sys/stat.h>
#include <unistd.h>

namespace shelfd::ctl {
namespace {

constexpr auto text = "# HELP shelfd_build_info Always 1; the version is a label\n"
                      "# TYPE shelfd_build_info gauge\n"
                      "shelfd_build_info{version=\"1\\\"\\\\\\n\"} 1\n"
                      "# HELP shelfd_library_rows Rows\n"
                      "# TYPE shelfd_library_rows gauge\n"
                      "shelfd_library_rows{library=\"antwerp\",state=\"fresh\"} 12.5\n";

struct MetricsBench : VerbBench {
    std::string request;

    ExitCode run(int status = 200, const std::string& answer = text)
    {
        ::unlink(environment["SHELFD_SOCKET"].c_str());  // of the call before
        SocketServer server(environment["SHELFD_SOCKET"], {http_answer(status, answer)});
        captured.out.clear();
        captured.err.clear();
        const auto code = run_metrics(context());
        request = server.requests().front();
        return code;
    }
    bool asked(const std::string& part) const { return request.find(part) != std::string::npos; }
};

TEST_CASE("metrics are printed as the daemon wrote them, and of one library or all with every series")
{
    MetricsBench bench;
    CHECK(bench.run() == ExitCode::done);
    CHECK(bench.asked("GET /v1/metrics HTTP"));
    CHECK(bench.captured.out == text);
    bench.command.library = "antwerp";
    CHECK(bench.run() == ExitCode::done);
    CHECK(bench.asked("GET /v1/metrics?detail=antwerp HTTP"));
    bench.command.all = true;
    CHECK(bench.run() == ExitCode::done);
    CHECK(bench.asked("GET /v1/metrics?detail=all HTTP"));
    bench.command.library = "ghent";
    CHECK(bench.run() == ExitCode::usage);
    CHECK(bench.captured.err.find("there is no library ghent") != std::string::npos);
    CHECK(bench.captured.err.find("shelfctl status") != std::string::npos);
    bench.command.library = "gh&ent";
    CHECK(run_metrics(bench.context()) == ExitCode::usage);
}

TEST_CASE("a library that is configured and does not run is not said to be unknown")
{
    MetricsBench bench;
    bench.command.library = "ghent";
    ::unlink(bench.environment["SHELFD_SOCKET"].c_str());
    const SocketServer server(
        bench.environment["SHELFD_SOCKET"],
        {http_answer(200, text),
         http_answer(200, R"({"format_version":1,"now":"2024-01-06T06:00:00Z","libraries":[],"absent":["ghent"]})")});
    CHECK(run_metrics(bench.context()) == ExitCode::busy);
    CHECK(bench.captured.err.find("ghent is configured, but does not run now; why: shelfctl status ghent") !=
          std::string::npos);
}

TEST_CASE("metrics as JSON have name, type, help and samples")
{
    CHECK(exposition_to_json(text) ==
          R"({"metrics":[{"name":"shelfd_build_info","help":"Always 1; the version is a label","samples":)"
          R"([{"name":"shelfd_build_info","labels":{"version":"1\"\\\n"},"value":1E0}],"type":"gauge"},)"
          R"({"name":"shelfd_library_rows","help":"Rows","samples":[{"name":"shelfd_library_rows","labels":)"
          R"({"library":"antwerp","state":"fresh"},"value":1.25E1}],"type":"gauge"}]})");
    CHECK(exposition_to_json("") == R"({"metrics":[]})");
    for (const auto* broken : {"x", "# HELP", "# HELP a b\na{", "# HELP a b\na{l=\"x\\", "# HELP a b\na{l=\"x\",} y"}) {
        INFO(broken);
        CHECK(exposition_to_json(broken).starts_with("{\"metrics\":["));
    }
}

TEST_CASE("a text file is replaced as a whole, readable by all, and stays if there is no daemon")
{
    MetricsBench bench;
    const auto umask_before = ::umask(0077);
    bench.command.print.textfile = bench.directory / "shelfd.prom";
    CHECK(bench.run() == ExitCode::done);
    ::umask(umask_before);
    CHECK(bench.captured.out.empty());
    CHECK(read_file(bench.command.print.textfile) == text);
    struct stat found {};
    REQUIRE(::stat(bench.command.print.textfile.c_str(), &found) == 0);
    CHECK((found.st_mode & 07777) == 0644);
    const auto inode = found.st_ino;
    CHECK(bench.run(200, "# HELP a b\n") == ExitCode::done);
    REQUIRE(::stat(bench.command.print.textfile.c_str(), &found) == 0);
    CHECK(found.st_ino != inode);
    CHECK(read_file(bench.command.print.textfile) == "# HELP a b\n");

    CHECK(bench.run(403, R"({"error":{"kind":"permission","text":"no"}})") == ExitCode::permission);
    ::unlink(bench.environment["SHELFD_SOCKET"].c_str());
    CHECK(run_metrics(bench.context()) == ExitCode::no_daemon);
    CHECK(read_file(bench.command.print.textfile) == "# HELP a b\n");
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(bench.directory.path())) {
        files += entry.path().extension() == ".new" ? 1 : 0;
    }
    CHECK(files == 0);
    bench.command.print.textfile = bench.directory / "missing/shelfd.prom";
    CHECK(bench.run() == ExitCode::storage);
    CHECK(bench.captured.err.find("missing/shelfd.prom") != std::string::npos);
    CHECK(bench.captured.err.find("name a file that you may write: shelfctl metrics --textfile FILE") !=
          std::string::npos);
}

}  // namespace
}  // namespace shelfd::ctl

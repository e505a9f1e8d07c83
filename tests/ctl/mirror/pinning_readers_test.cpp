#include "ctl/mirror/pinning_readers.hpp"

#include "ctl/socket_server.hpp"
#include "ctl/verb_bench.hpp"
#include "storage/other_reader.hpp"
#include "storage/sqlite.hpp"
#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <fmt/core.h>

namespace shelfd::ctl {
namespace {

using storage::OtherReader;

std::string make_mirror(const TempDirectory& directory)
{
    const auto file = directory / "antwerp.db";
    write_file(file, "");
    auto database = storage::Database::open(file, storage::OpenMode::read_write_create);
    REQUIRE(database);
    REQUIRE(database->execute("CREATE TABLE rows (id INTEGER PRIMARY KEY); INSERT INTO rows VALUES (1)"));
    return file;
}

TEST_CASE("a reader inside a transaction is named with its pid and its command")
{
    const TempDirectory directory;
    const auto file = make_mirror(directory);
    const OtherReader reader(file, true);
    const auto found = find_pinning_readers(file, 0);
    REQUIRE(found.size() == 1);
    CHECK(found.front().pid == reader.pid());
    CHECK(found.front().command.find("test_ctl") != std::string::npos);
    CHECK(find_pinning_readers(file, reader.pid()).empty());
}

TEST_CASE("a reader outside a transaction pins nothing, and neither does one of another file")
{
    const TempDirectory directory;
    const auto file = make_mirror(directory);
    const OtherReader idle(file, false);
    CHECK(find_pinning_readers(file, 0).empty());
    const TempDirectory other_directory;
    const OtherReader other(make_mirror(other_directory), true);
    CHECK(find_pinning_readers(file, 0).empty());
    CHECK(find_pinning_readers(directory / "nothing.db", 0).empty());
}

TEST_CASE("who keeps a small WAL from being emptied is named once that lasts, in the JSON as well")
{
    VerbBench bench;
    const auto file = make_mirror(bench.directory);
    const OtherReader reader(file, true);
    const auto answer = [&](const char* since) {
        return http_answer(200, fmt::format(R"({{"format_version":1,"pid":1,"now":"2024-01-06T06:00:00Z","libraries":[)"
                                            R"({{"name":"antwerp","state":"fresh","mirror":"{}","wal_bytes":65536,)"
                                            R"("wal_pinned_since":"{}"}}]}})",
                                            file, since));
    };
    const SocketServer server(bench.environment["SHELFD_SOCKET"],
                              {answer("2024-01-06T05:59:30Z"), answer("2024-01-06T05:00:00Z")});
    bench.command.output = Output::json;
    CHECK(run_status(bench.context()) == ExitCode::done);
    CHECK(bench.captured.out.find("cannot be emptied") == std::string::npos);
    CHECK(run_status(bench.context()) == ExitCode::failed);
    CHECK(bench.captured.out.find(fmt::format("cannot be emptied, for 60 min while process {} (", reader.pid())) !=
          std::string::npos);
}

TEST_CASE("the status names who keeps a large WAL from being emptied, and nobody while it is small")
{
    VerbBench bench;
    const auto file = make_mirror(bench.directory);
    const OtherReader reader(file, true);
    const auto answer = [&](int mebibytes) {
        return http_answer(200, fmt::format(R"({{"format_version":1,"pid":1,"now":"2024-01-06T06:00:00Z","libraries":[)"
                                            R"({{"name":"antwerp","state":"fresh","mirror":"{}","wal_bytes":{}}}]}})",
                                            file, mebibytes * 1'048'576));
    };
    const SocketServer server(bench.environment["SHELFD_SOCKET"], {answer(16), answer(84)});
    CHECK(run_status(bench.context()) == ExitCode::done);
    CHECK(bench.captured.out.find("WAL") == std::string::npos);
    CHECK(run_status(bench.context()) == ExitCode::failed);
    CHECK(bench.captured.out.find(fmt::format("the WAL of antwerp has 84 MiB and cannot be emptied while process "
                                              "{} (",
                                              reader.pid())) != std::string::npos);
    CHECK(bench.captured.out.find(fmt::format("kill {}", reader.pid())) != std::string::npos);
}

std::string problem_about_wal(const std::string& file)
{
    return http_answer(
        200,
        fmt::format(R"({{"format_version":1,"pid":1,"now":"2024-01-06T06:00:00Z","libraries":[)"
                    R"({{"name":"antwerp","state":"fresh","mirror":"{}","wal_bytes":65536,)"
                    R"("wal_pinned_since":"2024-01-06T05:00:00Z"}}],"problems":[{{"id":"x","cause":"wal",)"
                    R"("severity":"ticket","affected":[{{"library":"antwerp","tables":[],)"
                    R"("why":"the WAL has 64 KiB and cannot be emptied","do_this":"shelfctl status antwerp"}}]}}]}})",
                    file));
}

TEST_CASE("a problem of the daemon about a WAL gets the name of the reader, and is told once")
{
    VerbBench bench;
    const auto file = make_mirror(bench.directory);
    const OtherReader reader(file, true);
    const SocketServer server(bench.environment["SHELFD_SOCKET"], {problem_about_wal(file)});
    CHECK(run_status(bench.context()) == ExitCode::failed);
    INFO(bench.captured.out);
    CHECK(bench.captured.out.find(fmt::format("64 KiB and cannot be emptied while process {} (", reader.pid())) !=
          std::string::npos);
    CHECK(bench.captured.out.find("do this: end that transaction, or the program: kill") != std::string::npos);
    CHECK(bench.captured.out.find("do this: shelfctl status antwerp") == std::string::npos);
    CHECK(bench.captured.out.find("process") == bench.captured.out.rfind("process"));
}

TEST_CASE("a problem about a WAL names each of its readers")
{
    VerbBench bench;
    const auto file = make_mirror(bench.directory);
    const OtherReader reader(file, true);
    const OtherReader other(file, true);
    const SocketServer server(bench.environment["SHELFD_SOCKET"], {problem_about_wal(file)});
    CHECK(run_status(bench.context()) == ExitCode::failed);
    INFO(bench.captured.out);
    const auto first = bench.captured.out.find("cannot be emptied while process ");
    REQUIRE(first != std::string::npos);
    CHECK(bench.captured.out.find(") stays inside a read transaction, and process ", first) != std::string::npos);
    CHECK(bench.captured.out.find(" while process ", first + 20) == std::string::npos);
    CHECK(bench.captured.out.find(fmt::format(" process {} (", reader.pid()), first) != std::string::npos);
    CHECK(bench.captured.out.find(fmt::format(" process {} (", other.pid()), first) != std::string::npos);
}

}  // namespace
}  // namespace shelfd::ctl

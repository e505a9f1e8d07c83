#include "app/library_bench.hpp"

#include "mirror/file/snapshot.hpp"
#include "storage/sqlite.hpp"
#include "support/catch.hpp"

#include <filesystem>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

std::string file_of(const LibraryBench& bench)
{
    return mirror::snapshot_path(bench.unit->mirror_path());
}

// When the snapshot was made, as it says itself; "" when there is none.
std::string made_at(const LibraryBench& bench)
{
    if (!std::filesystem::exists(file_of(bench))) {
        return "";
    }
    auto database = storage::Database::open(file_of(bench), storage::OpenMode::read_only);
    REQUIRE(database);
    auto row = database->prepare("SELECT snapshot_at FROM freshness");
    REQUIRE(row);
    REQUIRE(row->step());
    return std::string(row->text(0));
}

BenchOptions every(Duration interval)
{
    BenchOptions options;
    options.snapshot_every = interval;
    return options;
}

TEST_CASE("a snapshot is made when there are rows, and again after its interval")
{
    LibraryBench bench(every(6h));
    bench.pass_time(10min);
    const auto first = made_at(bench);
    CHECK_FALSE(first.empty());
    bench.pass_time(5h);
    CHECK(made_at(bench) == first);
    bench.pass_time(1h);
    CHECK(made_at(bench) > first);
}

TEST_CASE("a restart keeps to the interval, and a snapshot that somebody removed is made anew")
{
    LibraryBench bench(every(6h));
    bench.pass_time(10min);
    const auto first = made_at(bench);
    bench.stop();
    bench.start();
    bench.pass_time(1h);
    CHECK(made_at(bench) == first);
    bench.stop();
    std::filesystem::remove(bench.files / ("mirrors/lib01/lib01.snapshot.db"));
    bench.start();
    bench.pass_time(10min);
    CHECK(made_at(bench) > first);
}

TEST_CASE("without an interval a snapshot is made on request only")
{
    LibraryBench bench;
    bench.pass_time(24h);
    CHECK(made_at(bench).empty());
    const auto report = bench.clock.run(bench.unit->snapshots().make());
    REQUIRE(report);
    CHECK(report->path == file_of(bench));
    CHECK(report->bytes == std::filesystem::file_size(report->path));
    CHECK_FALSE(made_at(bench).empty());
}

TEST_CASE("a snapshot that cannot be made is logged, tried again, and harms no pass")
{
    LibraryBench bench(every(6h));
    const auto draft = file_of(bench) + ".new";
    std::filesystem::create_directory(draft);
    bench.pass_time(30min);
    CHECK(made_at(bench).empty());
    CHECK(std::any_of(bench.log_lines.begin(), bench.log_lines.end(),
                      [](const auto& line) { return line.find("no snapshot of lib01") != std::string::npos; }));
    CHECK(bench.status().rows > 0);
    const auto told = app::report_library(*bench.unit, bench.clock.now()).snapshot;
    CHECK_FALSE(told.trouble.empty());
    REQUIRE(told.since);
    CHECK(*told.since < bench.clock.now() - 15min);
    std::filesystem::remove(draft);
    bench.pass_time(15min);
    CHECK_FALSE(made_at(bench).empty());
    const auto after = app::report_library(*bench.unit, bench.clock.now()).snapshot;
    CHECK(after.trouble.empty());
    CHECK(after.made_at);
}

}  // namespace

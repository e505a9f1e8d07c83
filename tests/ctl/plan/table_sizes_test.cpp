#include "ctl/plan/table_sizes.hpp"

#include "ctl/mirror_bench.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <filesystem>

#include <sys/fsuid.h>

namespace shelfd::ctl {
namespace {

namespace fs = std::filesystem;

TEST_CASE("sizes that a reader cannot read, because the mirror has no WAL, are left out with the cure")
{
    MirrorBench bench;
    bench.load(R"({"id":1},{"id":2})");
    bench.mirror.reset();
    config::Configuration configuration;
    configuration.storage.mirrors = bench.directory / "mirrors";
    CHECK(known_sizes(bench.context(), configuration, "antwerp").at("recipes").rows == 2);
    fs::remove(bench.file() + "-wal");
    fs::remove(bench.file() + "-shm");
    constexpr auto look_only = static_cast<fs::perms>(0555);
    const auto folder = fs::path(bench.file()).parent_path();
    for (const auto& path : {folder, folder.parent_path(), folder.parent_path().parent_path()}) {
        fs::permissions(path, look_only);
    }
    fs::permissions(bench.file(), static_cast<fs::perms>(0444));
    constexpr uid_t nobody = 65'534;
    const auto before = static_cast<uid_t>(::setfsuid(nobody));  // root may create the files; others cannot do this
    const auto sizes = known_sizes(bench.context(), configuration, "antwerp");
    ::setfsuid(before);
    fs::permissions(folder, fs::perms::owner_all);
    fs::permissions(folder.parent_path(), fs::perms::owner_all);
    fs::permissions(folder.parent_path().parent_path(), fs::perms::owner_all);
    INFO(bench.captured.err);
    CHECK(sizes.empty());
    CHECK(bench.captured.err.find("SQLite 1544") == std::string::npos);
    CHECK(bench.captured.err.find("only the daemon may create them") != std::string::npos);
}

TEST_CASE("a pass that was resumed after a restart does not show how many requests one takes")
{
    MirrorBench bench;
    bench.load(R"({"id":1},{"id":2})");
    const auto add = [&bench](int requests, int pages) {
        bench.change(
            fmt::format("INSERT INTO _runs (run_id, resource, mode, result, started_at, finished_at, requests, "
                        "pages, bytes, rows, added, deleted) VALUES ('run {0}', 'recipes', 'full', "
                        "'published', '2024-01-06T06:00:0{0}Z', '2024-01-06T06:00:0{0}Z', {0}, {1}, 1, 2, 0, "
                        "0)",
                        requests, pages));
    };
    bench.change("DELETE FROM _runs");
    add(1, 8);
    add(2, 8);
    CHECK_FALSE(read_sizes(bench.file())->at("recipes").full_requests);
    add(9, 8);
    CHECK(read_sizes(bench.file())->at("recipes").full_requests == 9.0);
}

}  // namespace
}  // namespace shelfd::ctl

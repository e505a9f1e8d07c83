// Mirrors of libraries that are out of the configuration.
#include "app/library_bench.hpp"
#include "app/stores/kept_libraries.hpp"
#include "support/catch.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <filesystem>

using namespace shelfd;
using namespace std::chrono_literals;

TEST_CASE("a mirror that no library of the configuration fills is told so, and told otherwise once one does again")
{
    LibraryBench bench;
    REQUIRE(bench.sync().published);
    const auto state = [&bench] { return bench.query("SELECT state FROM freshness"); };
    const auto retire = [&bench](config::Libraries libraries) {
        boost::asio::co_spawn(bench.loop, app::retire_unowned(*bench.parts, std::move(libraries)),
                              boost::asio::detached);
        bench.pass_time(1s);
    };
    const auto configured = bench.unit->shared_library();
    bench.stop();
    // Beside it, what is no mirror: a link, a file, a directory without a file.
    const auto mirrors = std::filesystem::path(bench.parts->storage.mirrors);
    std::filesystem::create_directory_symlink(mirrors / configured->name, mirrors / "linked");
    std::filesystem::create_directories(mirrors / "empty");
    retire({configured});
    CHECK(state() == "fresh");
    retire({});
    CHECK(state() == "retired");
    CHECK(std::any_of(bench.log_lines.begin(), bench.log_lines.end(), [](const auto& line) {
        return line.find("is not in the configuration: its mirror stays and is marked") != std::string::npos;
    }));
    bench.start();
    CHECK(state() == "fresh");
}

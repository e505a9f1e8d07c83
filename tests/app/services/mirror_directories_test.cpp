#include "app/services/mirror_directories.hpp"

#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <filesystem>

namespace shelfd::app {
namespace {

TEST_CASE("a side file of a mirror that is removed is reported, any other file is not, and none after the end")
{
    const TempDirectory directory;
    boost::asio::io_context loop;
    MirrorDirectories directories(loop.get_executor(), Log([](const LogRecord&) {}));
    const auto mirror = directory / "antwerp.db";
    int gone = 0;
    directories.watch(mirror, "antwerp", [&gone] { ++gone; });
    boost::asio::co_spawn(loop, directories.run(), boost::asio::detached);
    const auto remove = [&](const std::string& name) {
        write_file(directory / name, "");
        std::filesystem::remove(std::filesystem::path(directory / name));
        loop.restart();
        loop.poll();
    };
    remove("antwerp.db-journal");
    CHECK(gone == 0);
    remove("antwerp.db-wal");
    CHECK(gone == 1);
    remove("antwerp.db-shm");
    CHECK(gone == 2);
    directories.forget(mirror);
    remove("antwerp.db-wal");
    CHECK(gone == 2);
}

}  // namespace
}  // namespace shelfd::app

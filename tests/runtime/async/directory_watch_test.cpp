#include "runtime/async/directory_watch.hpp"

#include "runtime/async/task_group.hpp"
#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace shelfd {
namespace {

using Names = std::vector<std::string>;

struct Fixture {
    Fixture() { tasks.spawn(watch.run()); }
    ~Fixture()
    {
        tasks.cancel();
        loop.run();
    }
    void hear()
    {
        loop.restart();
        while (loop.poll() > 0) {
        }
    }
    DirectoryWatch::Gone into(Names& names)
    {
        return [&names](const std::string& name) { names.push_back(name); };
    }

    asio::io_context loop;
    TempDirectory files;
    DirectoryWatch watch{loop.get_executor()};
    TaskGroup tasks{loop.get_executor()};
};

}  // namespace

TEST_CASE_METHOD(Fixture, "what is removed from a watched directory, or moved out of it, is heard by its name")
{
    Names heard;
    Names other;
    std::filesystem::create_directories(files / "a");
    std::filesystem::create_directories(files / "b");
    REQUIRE(watch.watch(files / "a", into(heard)));
    REQUIRE(watch.watch(files / "b", into(other)));
    hear();
    for (const auto* name : {"a/one", "a/two", "a/a name of its own", "b/three"}) {
        write_file(files / name, "x");
    }
    std::filesystem::remove(files / "a/one");
    std::filesystem::rename(files / "a/two", files / "b/two");
    std::filesystem::remove(files / "a/a name of its own");
    hear();
    CHECK(heard == Names{"one", "two", "a name of its own"});
    CHECK(other.empty());
    watch.forget(files / "a");
    std::filesystem::rename(files / "b/two", files / "a/two");
    std::filesystem::remove(files / "a/two");
    hear();
    CHECK(heard.size() == 3);
    CHECK(other == Names{"two"});
}

TEST_CASE_METHOD(Fixture, "a directory that goes takes its watch along, and one that is not there has none")
{
    Names heard;
    CHECK_FALSE(watch.watch(files / "nowhere", into(heard)));
    std::filesystem::create_directories(files / "a");
    REQUIRE(watch.watch(files / "a", into(heard)));
    std::filesystem::remove(files / "a");
    hear();
    std::filesystem::create_directories(files / "a");
    write_file(files / "a/one", "x");
    std::filesystem::remove(files / "a/one");
    hear();
    CHECK(heard.empty());
    watch.forget(files / "a");
    REQUIRE(watch.watch(files / "a", into(heard)));
}

TEST_CASE_METHOD(Fixture, "what the kernel could not keep is heard as a loss of any file, in every directory")
{
    Names heard;
    Names other;
    std::filesystem::create_directories(files / "a");
    std::filesystem::create_directories(files / "b");
    REQUIRE(watch.watch(files / "a", into(heard)));
    REQUIRE(watch.watch(files / "b", into(other)));
    hear();
    const auto most = std::stoul(read_file("/proc/sys/fs/inotify/max_queued_events"));
    for (std::size_t i = 0; i <= most; ++i) {
        const auto path = files / ("a/" + std::to_string(i));
        write_file(path, "");
        std::filesystem::remove(path);
    }
    hear();
    CHECK(std::count(heard.begin(), heard.end(), "") == 1);
    CHECK(other == Names{""});
}

}  // namespace shelfd

#include "mirror/file/file_watch.hpp"
#include "mirror/mirror_fixture.hpp"
#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <filesystem>

using namespace shelfd;
using Finding = mirror::FileWatch::Finding;

namespace {

struct WatchedFile {
    WatchedFile()
    {
        for (const auto* suffix : {"", "-wal", "-shm"}) {
            write_file(file + suffix, "content");
        }
        must(watch.begin());
        watch.record_writing();
    }

    TempDirectory directory;
    std::string file = directory / "antwerp.db";
    mirror::FileWatch watch{file};
};

}  // namespace

TEST_CASE("a watched file is as it was left, until somebody writes to it, replaces it or removes it")
{
    WatchedFile watched;
    CHECK(must(watched.watch.look()) == Finding::as_left);
    SECTION("written in place")
    {
        write_file(watched.file, "other content");
        CHECK(must(watched.watch.look()) == Finding::written_by_others);
        watched.watch.record_writing();
        CHECK(must(watched.watch.look()) == Finding::as_left);
    }
    SECTION("replaced")
    {
        write_file(watched.directory / "copy", "content");
        std::filesystem::rename(watched.directory / "copy", watched.file);
        CHECK(must(watched.watch.look()) == Finding::other_file);
    }
    SECTION("removed")
    {
        std::filesystem::remove(watched.file);
        CHECK(must(watched.watch.look()) == Finding::no_file);
        watched.watch.end();
        CHECK(must(watched.watch.look()) == Finding::as_left);
    }
}

TEST_CASE("before it began to watch, a watch finds nothing, whatever lies there")
{
    TempDirectory directory;
    mirror::FileWatch watch(directory / "antwerp.db");
    watch.record_writing();
    CHECK(must(watch.look()) == Finding::as_left);
}

TEST_CASE("side files that are gone, or others under their names, are noticed")
{
    WatchedFile watched;
    CHECK(must(watched.watch.has_side_files()));
    const std::string suffix = GENERATE("-wal", "-shm");
    const bool is_back = GENERATE(false, true);
    if (is_back) {
        // Made while the former one is there: the number of a file that is gone may be given out again.
        write_file(watched.directory / "other", "content");
        std::filesystem::rename(watched.directory / "other", watched.file + suffix);
    } else {
        std::filesystem::remove(watched.file + suffix);
    }
    CHECK_FALSE(must(watched.watch.has_side_files()));
}

TEST_CASE("only the WAL of the file that was watched is removed beside another one")
{
    WatchedFile watched;
    const bool is_ours = GENERATE(true, false);
    if (!is_ours) {
        write_file(watched.directory / "other", "of the file that was put there");
        std::filesystem::rename(watched.directory / "other", watched.file + "-wal");
    }
    must(watched.watch.remove_side_files());
    CHECK(std::filesystem::exists(watched.file + "-wal") != is_ours);
    CHECK(std::filesystem::exists(watched.file + "-shm") != is_ours);
}

#include "mirror/file/file_watch.hpp"
#include "mirror/mirror_fixture.hpp"
#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <filesystem>
#include <fstream>

#include <sys/stat.h>

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

TEST_CASE("a mark is read as it was written, and what is no mark is unknown")
{
    const storage::FileMark mark{7, -100, 3, "ext:0102"};
    CHECK(mirror::read_mark(mirror::to_text(mark)) == mark);
    CHECK(mirror::read_mark("7 100 0 ") == storage::FileMark{7, 100, 0, ""});
    for (const auto* text : {"", "7", "7 100", "x 100 0 ext:01", "7 x 0 ext:01", "-"}) {
        INFO(text);
        CHECK(mirror::read_mark(text) == storage::FileMark());
    }
}

TEST_CASE("the mark of a file says the same while SQLite has it open, and ends none of its locks")
{
    const TempDirectory directory;
    const auto file = directory / "file.db";
    auto database = storage::Database::open(file, storage::OpenMode::read_write_create);
    REQUIRE(database);
    const mirror::FileWatch watch(file);
    const auto locks = [&file] {
        struct stat facts {};
        REQUIRE(::stat(file.c_str(), &facts) == 0);
        std::ifstream lines("/proc/locks");
        std::size_t found = 0;
        for (std::string line; std::getline(lines, line);) {
            found += line.find(":" + std::to_string(facts.st_ino) + " ") != std::string::npos ? 1U : 0U;
        }
        return found;
    };
    const auto before = locks();
    const auto mark = watch.mark();
    CHECK(locks() == before);
    CHECK(watch.mark() == mark);
}

// What tells a file from a copy of it.
#include "storage/file_mark.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <unistd.h>

namespace shelfd::storage {
namespace {

FileMark mark_at(const std::string& path)
{
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(file >= 0);
    auto mark = mark_of(file);
    ::close(file);
    return mark;
}

TEST_CASE("a file keeps its mark through writing, renaming and linking, and no copy has it")
{
    const ScratchDirectory scratch;
    const auto path = scratch / "file";
    std::ofstream(path) << "content";
    const auto mark = mark_at(path);
    if (!is_known(mark)) {
        WARN("skipped: the file system of the build gives files no lasting identity");
        return;
    }
    std::ofstream(path) << "other content";
    std::filesystem::last_write_time(path, {});
    std::filesystem::permissions(path, std::filesystem::perms::owner_read);
    std::filesystem::create_hard_link(path, scratch / "link");
    std::filesystem::rename(path, scratch / "renamed");
    CHECK(mark_at(scratch / "renamed") == mark);
    CHECK(mark_at(scratch / "link") == mark);
    // Some file systems tell a copy only once their clock has ticked.
    do {
        std::filesystem::remove(scratch / "copy");
        std::filesystem::copy_file(scratch / "renamed", scratch / "copy");
    } while (mark.birth != 0 && mark_at(scratch / "copy").birth == mark.birth);
    CHECK_FALSE(may_be_same(mark, mark_at(scratch / "copy")));
}

TEST_CASE("marks are of different files where something that both name differs, and the time of birth decides first")
{
    struct Row {
        const char* name;
        FileMark then, now;
        bool may_be_same;
    };
    const std::vector<Row> rows = {
        {"the same", {7, 100, 3, "ext:1"}, {7, 100, 3, "ext:1"}, true},
        {"another birth", {7, 100, 3, "ext:1"}, {7, 101, 3, "ext:1"}, false},
        {"a copy within the same tick of the clock", {7, 100, 3, "ext:1"}, {8, 100, 4, "ext:1"}, false},
        {"an inode number that was used again", {7, 0, 3, "ext:1"}, {7, 0, 4, "ext:1"}, false},
        {"another inode, no birth", {7, 0, 0, "ext:1"}, {8, 0, 0, "ext:1"}, false},
        {"a file system that was shrunk", {7, 100, 3, "ext:1"}, {8, 100, 3, "ext:1"}, true},
        {"another file system or subvolume", {7, 100, 3, "btrfs:1"}, {7, 100, 3, "btrfs:2"}, false},
        {"a file system whose id comes from elsewhere now", {7, 100, 3, "uuid:1"}, {7, 100, 3, "xfs:2"}, true},
        {"a file system without an id once", {7, 100, 3, ""}, {7, 100, 3, "uuid:1"}, true},
        {"a kernel that does not tell the birth", {7, 100, 3, "ext:1"}, {7, 0, 3, "ext:1"}, true},
        {"nothing known then", {}, {7, 100, 3, "ext:1"}, true},
        {"nothing known now", {7, 100, 3, "ext:1"}, {}, true},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        CHECK(may_be_same(row.then, row.now) == row.may_be_same);
    }
}

}  // namespace
}  // namespace shelfd::storage

// A mirror whose file system is not mounted is not filled anew on the mount point.
#include "app/stores/mirror_place.hpp"

#include "app/host/storage_locks.hpp"
#include "app/library/library_set.hpp"
#include "app/library_bench.hpp"
#include "app/stores/file_system_mark.hpp"
#include "app/stores/kept_libraries.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/vfs.h>

using namespace shelfd;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

bool holds(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

// A library that was filled; its mirror can go away and come back.
struct FilledLibrary {
    enum class How {
        mounted,  // an empty file system is mounted over all mirrors
        noted,    // the mirror is moved away, and the note names another file system
        copied,   // likewise, and what comes back is a copy
    };

    explicit FilledLibrary(How how) : how_(how), places(app::places_of(*bench.parts)) { bench.pass_time(1min); }
    ~FilledLibrary()
    {
        if (is_mounted_) {
            umount2(mirrors().c_str(), MNT_DETACH);
        }
    }
    FilledLibrary(const FilledLibrary&) = delete;
    FilledLibrary& operator=(const FilledLibrary&) = delete;

    const std::string& mirrors() const { return places.storage.mirrors; }
    std::string mirror() const { return places.mirror("lib01"); }
    std::string note() const { return places.tokens("lib01") + "/mirror_place"; }
    config::Libraries configured() const { return {bench.unit->shared_library()}; }
    // False where no other file system can be mounted.
    bool go_away()
    {
        if (how_ != How::mounted) {
            auto text = read_file(note());
            const auto line = text.find("\nmirror ") + 1;
            text.replace(line, text.find('\n', line) - line, "mirror 1234 other:01 " + mirror());
            write_file(note(), text);
            fs::rename(mirror(), bench.files / "aside");
            return true;
        }
        struct statfs found {};
        const bool is_other = statfs(mirrors().c_str(), &found) == 0 && found.f_type != TMPFS_MAGIC;
        is_mounted_ = is_other && mount("tmpfs", mirrors().c_str(), "tmpfs", MS_NODEV | MS_NOSUID, "size=8m") == 0;
        if (!is_mounted_) {
            WARN("skipped: no other file system can be mounted here: " << std::strerror(errno));
        }
        return is_mounted_;
    }
    void come_back()
    {
        if (is_mounted_) {
            REQUIRE(umount2(mirrors().c_str(), MNT_DETACH) == 0);
            is_mounted_ = false;
        } else if (how_ == How::copied) {
            fs::copy(bench.files / "aside", mirror(), fs::copy_options::recursive);
        } else {
            fs::rename(bench.files / "aside", mirror());
        }
    }
    // Pages of the list that were requested since.
    std::size_t pages_since(std::size_t from) const
    {
        const auto& asked = bench.client.asked;
        return static_cast<std::size_t>(
            std::count_if(asked.begin() + static_cast<std::ptrdiff_t>(from), asked.end(),
                          [](const std::string& target) { return holds(target, "/library/recipes/"); }));
    }
    std::string feed() const { return bench.query("SELECT value FROM _meta WHERE key = 'feed'"); }
    bool says(const std::string& why) const
    {
        return holds(why, mirror() +
                              " is not on the file system on which this mirror was kept, and nothing is written "
                              "there: mount that file system; or, if a new mirror is to be filled there: rm -f " +
                              note());
    }

    How how_;
    LibraryBench bench;
    app::StorePlaces places;

private:
    bool is_mounted_ = false;
};

using How = FilledLibrary::How;

}  // namespace

TEST_CASE("a mirror whose file system is not mounted at the start is not filled anew, and goes on once it is mounted")
{
    FilledLibrary library(GENERATE(How::mounted, How::noted));
    auto& bench = library.bench;
    const auto configured = library.configured();
    const auto rows = bench.ids();
    const auto feed = library.feed();
    bench.stop();
    if (!library.go_away()) {
        return;
    }
    const auto before = bench.client.asked.size();
    app::LibrarySet set(*bench.parts);
    REQUIRE(bench.clock.run(set.open(configured)));
    for (int tries = 0; tries < 3; ++tries) {
        bench.clock.run(set.restore(configured));
        REQUIRE(set.absent().contains("lib01"));
        INFO(set.absent().at("lib01").why);
        CHECK(library.says(set.absent().at("lib01").why));
        CHECK_FALSE(fs::exists(library.mirror()));
    }
    CHECK(library.pages_since(before) == 0);
    // Its token set is kept meanwhile.
    CHECK(set.absent_set("lib01") != nullptr);

    SECTION("it is mounted")
    {
        library.come_back();
        bench.clock.run(set.restore(configured));
        REQUIRE(set.find("lib01"));
        CHECK(bench.ids() == rows);
        CHECK(library.feed() == feed);
    }
    SECTION("a person says that a new mirror is meant")
    {
        fs::remove(library.note());
        bench.clock.run(set.restore(configured));
        REQUIRE(set.find("lib01"));
        bench.pass_time(1min);
        CHECK(bench.ids() == rows);
        CHECK(library.feed() != feed);
        // From now on that is where it is kept.
        CHECK(fs::exists(library.note()));
        CHECK(app::MirrorPlace(library.places, "lib01").check());
    }
    bench.clock.run(set.stop());
}

TEST_CASE("a mirror whose file system goes away under the daemon is not filled anew, and goes on once it is back")
{
    FilledLibrary library(GENERATE(How::mounted, How::noted, How::copied));
    auto& bench = library.bench;
    const auto rows = bench.ids();
    const auto feed = library.feed();
    const bool is_idle = GENERATE(false, true);
    if (is_idle) {
        bench.pass_time(10min);
    }
    if (!library.go_away()) {
        return;
    }
    const auto before = bench.client.asked.size();
    const auto report = bench.sync("recipes", sync::Wanted::full_by_person);
    INFO(report.why);
    CHECK(report.trouble == sync::Trouble::storage);
    CHECK(library.says(report.why));
    CHECK_FALSE(holds(report.why, "could not record"));
    bench.pass_time(2h);
    CHECK_FALSE(fs::exists(library.mirror()));
    CHECK(library.pages_since(before) <= 16);  // one for each try, and each try at least as late as the pace
    CHECK(holds(bench.status().why, "is not on the file system"));

    library.come_back();
    bench.pass_time(1h);
    CHECK(bench.status().trouble == sync::Trouble::none);
    CHECK(bench.ids() == rows);
    CHECK(library.feed() == feed);
    CHECK(bench.unit->repairs().empty());
}

TEST_CASE("a mirror that is removed by hand, or is to lie elsewhere, is filled anew without being asked for")
{
    FilledLibrary library(How::noted);
    auto& bench = library.bench;
    const auto feed = library.feed();
    SECTION("its file, while the daemon runs")
    {
        fs::remove(library.mirror() + "/lib01.db");
    }
    SECTION("its directory, while the daemon runs")
    {
        fs::remove_all(library.mirror());
    }
    SECTION("its directory, while it does not")
    {
        bench.stop();
        fs::remove_all(library.mirror());
        bench.start();
    }
    bench.pass_time(1h);
    CHECK(bench.ids() == bench.service_ids());
    CHECK(library.feed() != feed);
}

TEST_CASE("a note about a mirror is believed only where it was written, and only of that directory")
{
    FilledLibrary library(How::noted);
    library.bench.stop();
    REQUIRE(library.go_away());
    const auto text = read_file(library.note());
    CHECK_FALSE(app::MirrorPlace(library.places, "lib01").check());
    SECTION("the directory of the mirrors is another one")
    {
        auto places = library.places;
        places.storage.mirrors = library.bench.files / "elsewhere";
        CHECK(app::MirrorPlace(places, "lib01").check());
    }
    SECTION("the token store lies on another file system than when it was written")
    {
        const auto line = text.find("\nhere ") + 1;
        write_file(library.note(), text.substr(0, line) + "here 1234 other:01 -\n");
        CHECK(app::MirrorPlace(library.places, "lib01").check());
    }
    SECTION("it is cut")
    {
        write_file(library.note(), text.substr(0, text.find("\nhere ")));
        CHECK(app::MirrorPlace(library.places, "lib01").check());
    }
    SECTION("the mirror is there")
    {
        library.come_back();
        CHECK(app::MirrorPlace(library.places, "lib01").check());
    }
}

TEST_CASE("file systems without an id are told apart by the sources of their mounts, unless these are devices")
{
    const std::string mounts = "36 35 98:0 / / rw,noatime shared:1 - ext4 /dev/sda1 rw\n"
                               "370 36 0:44 /a\\040b /mnt/a\\040b rw,relatime shared:2 master:1 - nfs4 nas:/export/a "
                               "rw,vers=4.2\n"
                               "37 36 0:45 / /mnt/b rw - fuse.sshfs me@nas:/b\\040c rw\n"
                               "38 36 0:46 / /mnt/c rw - tmpfs none rw\n"
                               "39 36 0:47 / /mnt/d rw\n"
                               "40 36 0:48 / /mnt/e rw - fuse.mergerfs a:b rw";
    CHECK(app::mount_source(mounts, 370) == "nas:/export/a");
    CHECK(app::mount_source(mounts, 37) == "me@nas:/b\\040c");
    CHECK(app::mount_source(mounts, 40) == "a:b");
    for (const std::uint64_t none : {36, 38, 39, 41, 3}) {
        CAPTURE(none);
        CHECK(app::mount_source(mounts, none).empty());
    }
    constexpr unsigned long nfs = 0x6969;
    CHECK_FALSE(app::may_be_same({nfs, "mount:nas:/a"}, {nfs, "mount:nas:/b"}));
    CHECK(app::may_be_same({nfs, "mount:nas:/a"}, {nfs, "mount:nas:/a"}));
    CHECK(app::may_be_same({nfs, ""}, {nfs, "mount:nas:/a"}));
    CHECK_FALSE(app::may_be_same({nfs, ""}, {TMPFS_MAGIC, ""}));
    CHECK(app::may_be_same({TMPFS_MAGIC, "uuid:1"}, {TMPFS_MAGIC, "uuid:2"}));
    CHECK(app::may_be_same({0, ""}, {TMPFS_MAGIC, ""}));
}

TEST_CASE("a directory of all mirrors that is on another file system than they were is not locked, nor written to")
{
    FilledLibrary library(How::noted);
    library.bench.stop();
    const auto text = read_file(library.note());
    REQUIRE(holds(text, "\nroot "));
    REQUIRE(app::check_mirror_root(library.places));
    const auto line = text.find("\nroot ") + 1;
    const auto elsewhere = text.substr(0, line) + "root 1234 other:01 " + library.mirrors() + "\n";
    write_file(library.note(), elsewhere);
    // It was moved with all that is in it.
    CHECK(app::check_mirror_root(library.places));
    fs::rename(library.mirror(), library.bench.files / "aside");
    for (const auto& name : {".lock", ".requests"}) {
        fs::remove_all(library.mirrors() + "/" + name);
    }

    const auto checked = app::check_mirror_root(library.places);
    REQUIRE_FALSE(checked);
    CHECK(holds(checked.error().text(), library.mirrors() + " (storage.mirrors) is not on the file system"));
    auto locks = app::lock_storage(library.places.storage, checked);
    REQUIRE(locks);
    CHECK_FALSE(locks->has_mirrors);
    CHECK(locks->held.size() == 1);
    CHECK(locks->troubles == std::vector<std::string>{checked.error().text()});
    CHECK(fs::is_empty(library.mirrors()));

    SECTION("another library is noted to have been there")
    {
        fs::create_directory(library.places.tokens("other"));
        write_file(library.places.tokens("other") + "/mirror_place", text);
        CHECK(app::check_mirror_root(library.places));
    }
    SECTION("the directory is another one")
    {
        auto places = library.places;
        places.storage.mirrors = library.bench.files / "elsewhere";
        CHECK(app::check_mirror_root(places));
    }
    SECTION("the token store lies on another file system than when the note was written")
    {
        auto moved = elsewhere;
        const auto here = moved.find("\nhere ") + 1;
        moved.replace(here, moved.find('\n', here) - here, "here 1234 other:01 -");
        write_file(library.note(), moved);
        CHECK(app::check_mirror_root(library.places));
    }
    SECTION("the note is of a version that did not note it")
    {
        write_file(library.note(), text.substr(0, line));
        CHECK(app::check_mirror_root(library.places));
    }
    SECTION("it is mounted, or a person says that it is meant")
    {
        write_file(library.note(), text);
        REQUIRE(app::check_mirror_root(library.places));
        REQUIRE(app::lock_mirrors(*locks, library.places.storage));
        CHECK(locks->has_mirrors);
        CHECK(locks->held.size() == 2);
    }
}

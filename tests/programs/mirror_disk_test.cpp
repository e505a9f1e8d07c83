// A disk that takes its time, or is not there: the pass waits for it, and nobody else does.
#include "foreign_reader.hpp"
#include "site.hpp"
#include "support/catch.hpp"
#include "traced_run.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include <unistd.h>

#include <sys/mount.h>
#include <sys/stat.h>

using namespace shelfd;

namespace {

// Gives every row at the service this number.
void give_version(Site& site, int version)
{
    site.service().world()->edit("lib01", "library/recipes", change_of_all_recipes(site, version));
}

}  // namespace

TEST_CASE("a disk that takes long for each write holds the pass up, but no reader, no status and no stop")
{
    if (const auto why = why_no_tracing(); !why.empty()) {
        WARN("skipped: " << why);
        return;
    }
    Site site;
    const bool is_root = geteuid() == 0;
    if (is_root) {
        give_to_readers(site.directory() / "mirrors");
    } else {
        WARN("skipped: another user's reader, only root can start it");
    }
    give_version(site, 1);
    CHECK(site.start_synced()->stop().code == 0);
    give_version(site, 2);
    auto daemon = site.start({}, slowing_line({site.mirror(), site.mirror() + "-wal"}, std::chrono::milliseconds(50)));
    daemon->await_ready();

    std::set<std::string> seen;
    int asked = 0;
    int told = 0;
    const auto sync = site.begin_ctl({"sync", "antwerp", "recipes", "--full"});
    while (sync->running()) {
        seen.insert(site.sql("SELECT min(version) || ' to ' || max(version) FROM recipes"));
        if (is_root) {
            // Nearly all of the time a transaction of the daemon is open: its writes are what takes long.
            const auto ran =
                site.ctl({"sql", "antwerp", "--csv", "SELECT min(version) = max(version) FROM recipes"}, "", as_reader);
            INFO(ran.err);
            CHECK(ran.code == 0);
            CHECK(ran.out.find("\n1") != std::string::npos);
        }
        ++asked;
        told += site.ctl({"status", "antwerp"}).out.find("recipes") != std::string::npos && sync->running() ? 1 : 0;
    }
    INFO(sync->output());
    CHECK(sync->wait() == 0);
    // Each answer came while the pass went on, but perhaps the last: whoever had to wait for it would have asked once.
    CHECK(told >= asked - 1);
    CHECK(told >= 10);
    CHECK(seen.count("1 to 1") == 1);
    seen.insert("2 to 2");
    CHECK(seen.size() == 2);
    CHECK(site.sql("SELECT min(version) || ' to ' || max(version) FROM recipes") == "2 to 2");
    CHECK(site.sql("PRAGMA integrity_check") == "ok");

    give_version(site, 3);
    const auto cut = site.begin_ctl({"sync", "antwerp", "recipes", "--full"});
    CHECK(daemon->stop().code == 0);
    cut->wait();
    CHECK(site.sql("SELECT min(version) = max(version) FROM recipes") == "1");
    CHECK(site.sql("PRAGMA integrity_check") == "ok");
}

TEST_CASE("a mirror that cannot be opened at the start keeps no other library dark, and is tried again")
{
    Site site({.libraries = {"antwerp", "bruges"}});
    CHECK(site.start_synced()->stop().code == 0);
    const bool is_pipe = GENERATE(false, true);
    INFO("a named pipe in place of the file: " << is_pipe);
    const std::string place = site.directory() / (is_pipe ? "mirrors/bruges/bruges.db" : "mirrors/bruges");
    std::filesystem::rename(place, place + ".away");
    if (is_pipe) {
        REQUIRE(::mkfifo(place.c_str(), 0640) == 0);
    } else {
        std::ofstream(place) << "no directory";
    }
    auto daemon = site.start_ready();
    site.ctl_done({"sync", "antwerp", "--full"});
    const auto status = site.ctl({"status"});
    INFO(status.out);
    CHECK(status.code == 2);
    CHECK(status.out.find("bruges: not running, since ") != std::string::npos);
    CHECK(status.out.find("the daemon tries again every 20 seconds") != std::string::npos);
    // A reload that has nothing to do with it is none the worse for it.
    site.ctl_done({"reload"});
    CHECK(site.ctl({"status"}).out.find("bruges: not running, since ") != std::string::npos);
    std::filesystem::remove(place);
    std::filesystem::rename(place + ".away", place);
    site.ctl_done({"reload"});
    site.ctl_done({"sync", "bruges", "--full"});
    CHECK(site.ctl({"status"}).code == 0);
    CHECK(daemon->stop().code == 0);
}

TEST_CASE(
    "a daemon whose only mirror is on a disk that is not mounted runs, says what to do, and goes on after the mount")
{
    Site site;
    CHECK(site.start_synced()->stop().code == 0);
    const auto feed = site.sql("SELECT value FROM _meta WHERE key = 'feed'");
    // The mirror was on the disk of this directory; now another, empty one is there.
    const std::string place = site.directory() / "mirrors/antwerp";
    if (::mount("tmpfs", place.c_str(), "tmpfs", MS_NODEV | MS_NOSUID, "size=320k,mode=0750") != 0) {
        WARN("skipped: no disk can be mounted here: " << std::strerror(errno));
        return;
    }
    auto daemon = site.start_ready();
    const auto asked = site.service().audit_report().count("GET", recipes_path, "lib01");
    const auto status = site.ctl({"status"});
    INFO(status.out);
    CHECK(status.code == 2);
    CHECK(status.out.find("antwerp: not running, since ") != std::string::npos);
    CHECK(status.out.find(place + " is not on the file system on which this mirror was kept") != std::string::npos);
    CHECK(status.out.find("mount that file system; or, if a new mirror is to be filled there: rm -f " +
                          (site.directory() / "tokens/antwerp/mirror_place")) != std::string::npos);
    CHECK(std::filesystem::is_empty(place));
    site.ctl_done({"reload"});
    CHECK(site.ctl({"status"}).code == 2);
    CHECK(std::filesystem::is_empty(place));
    CHECK(site.service().audit_report().count("GET", recipes_path, "lib01") == asked);
    REQUIRE(::umount2(place.c_str(), MNT_DETACH) == 0);
    site.ctl_done({"reload"});
    CHECK(site.ctl({"status"}).code == 0);
    CHECK(site.sql("SELECT value FROM _meta WHERE key = 'feed'") == feed);
    CHECK(daemon->stop().code == 0);
}

TEST_CASE(
    "a daemon whose directory of all mirrors is not mounted runs, writes nothing there, and goes on after the mount")
{
    Site site({.libraries = {"antwerp", "bruges"}});
    CHECK(site.start_synced()->stop().code == 0);
    const auto feed = site.sql("SELECT value FROM _meta WHERE key = 'feed'");
    const std::string place = site.directory() / "mirrors";
    if (::mount("tmpfs", place.c_str(), "tmpfs", MS_NODEV | MS_NOSUID, "size=320k,mode=0750") != 0) {
        WARN("skipped: no disk can be mounted here: " << std::strerror(errno));
        return;
    }
    auto daemon = site.start_ready();
    const auto status = site.ctl({"status"});
    INFO(status.out << daemon->log());
    CHECK(status.code == 2);
    CHECK(status.out.find("antwerp; bruges: not running, since ") != std::string::npos);
    CHECK(daemon->log().find(place + " (storage.mirrors) is not on the file system on which mirrors were kept") !=
          std::string::npos);
    site.ctl_done({"reload"});
    CHECK(std::filesystem::is_empty(place));
    REQUIRE(::umount2(place.c_str(), MNT_DETACH) == 0);
    site.ctl_done({"reload"});
    const auto mounted = site.ctl({"status"});
    CHECK(mounted.code == 1);  // only the record of alerts waits for a restart
    CHECK(mounted.out.find("not running") == std::string::npos);
    CHECK(mounted.out.find("mount that file system, then restart shelfd") != std::string::npos);
    CHECK(site.sql("SELECT value FROM _meta WHERE key = 'feed'") == feed);
    daemon->await("the directory is locked",
                  [&] { return daemon->log().find("is there, and locked: " + place) != std::string::npos; });
    CHECK(daemon->stop().code == 0);
}

TEST_CASE("a daemon none of whose mirrors can be opened does not start, and says why")
{
    Site site;
    CHECK(site.start_synced()->stop().code == 0);
    const std::string place = site.directory() / "mirrors/antwerp";
    std::filesystem::rename(place, place + ".away");
    std::ofstream(place) << "no directory";
    auto daemon = site.start();
    CHECK(daemon->wait().code == 74);
    CHECK(daemon->log().find("mirror of antwerp: ") != std::string::npos);
}

TEST_CASE("a mirror that is damaged under the daemon is found by whoever reads all of it, and filled anew at once")
{
    Site site;
    auto daemon = site.start_synced();
    {
        std::ofstream damage(site.mirror(), std::ios::in | std::ios::out | std::ios::binary);
        damage.seekp(16384);
        damage << std::string(20 * 16384, 'x');
    }
    const auto refused = site.ctl({"snapshot", "antwerp"});
    INFO(refused.out << refused.err << daemon->log());
    daemon->await("the mirror is set aside", [&] { return daemon->log().find("renamed to") != std::string::npos; });
    daemon->await("the mirror is filled",
                  [&] { return site.sql("SELECT count(*) FROM freshness WHERE state = 'fresh'") == "1"; });
    CHECK(site.sql("PRAGMA integrity_check") == "ok");
    CHECK(site.ctl({"status"}).code == 0);
    site.ctl_done({"snapshot", "antwerp"});
    CHECK(daemon->stop().code == 0);
}

TEST_CASE("a mirror that cannot be opened any more is a state of its library, until it can")
{
    Site site;
    auto daemon = site.start_synced();
    const std::string place = site.directory() / "mirrors/antwerp";
    std::filesystem::rename(place, place + ".away");
    std::ofstream(place) << "no directory";
    CHECK(site.ctl({"sync", "antwerp"}).code != 0);
    CHECK(site.ctl({"status"}).out.find("antwerp") != std::string::npos);
    std::filesystem::remove(place);
    std::filesystem::rename(place + ".away", place);
    site.ctl_done({"sync", "antwerp"});
    CHECK(site.sql("SELECT count(*) > 0 FROM recipes") == "1");
    CHECK(daemon->stop().code == 0);
}

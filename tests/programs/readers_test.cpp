// Other users of the machine read a mirror at any time, and can do nothing else to it.
#include "foreign_reader.hpp"
#include "site.hpp"
#include "support/catch.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>

#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace shelfd;

namespace {

const std::vector<std::string> as_stranger = {"/usr/bin/setpriv", "--reuid=64125", "--regid=64125", "--clear-groups"};

unsigned mode_of(const std::string& path)
{
    struct stat found {};
    return ::stat(path.c_str(), &found) == 0 ? found.st_mode & 07777U : 0;
}

unsigned group_of(const std::string& path)
{
    struct stat found {};
    return ::stat(path.c_str(), &found) == 0 ? found.st_gid : 0;
}

const std::vector<std::string> count_query = {"sql", "antwerp", "--csv", "SELECT count(*) FROM recipes"};

}  // namespace

TEST_CASE("a mirror's files are for owner and group alone, and the WAL is there for readers after the daemon has gone")
{
    Site site;
    auto daemon = site.start_synced();
    CHECK(daemon->stop().code == 0);
    const auto mirror = site.mirror();
    for (const char* suffix : {"", "-wal", "-shm"}) {
        INFO(mirror << suffix);
        CHECK(mode_of(mirror + suffix) == 0640);
    }
    CHECK(mode_of(site.directory() / "mirrors/antwerp") == 0750);
    CHECK(mode_of(site.directory() / "tokens/antwerp") == 0700);
    CHECK(mode_of(site.directory() / "tokens/antwerp/journal.a") == 0600);
}

TEST_CASE("a running daemon makes -wal and -shm anew at once when another program has taken them away")
{
    Site site;
    auto daemon = site.start_synced();
    for (const char* suffix : {"-wal", "-shm"}) {
        INFO(suffix);
        std::filesystem::remove(site.mirror() + suffix);
        daemon->await("it is there again", [&] {
            return std::filesystem::exists(site.mirror() + "-wal") && std::filesystem::exists(site.mirror() + "-shm");
        });
        CHECK(mode_of(site.mirror() + suffix) == 0640);
    }
    CHECK(site.sql("SELECT count(*) > 0 FROM recipes") == "1");
}

TEST_CASE("a second user of the readers' group reads while the daemon writes, is stopped, and was killed")
{
    if (geteuid() != 0) {
        WARN("skipped: only root can be another user");
        return;
    }
    Site site({.world = {.rows_of = {{"library/recipes", 600}}}});
    const auto mirrors = site.directory() / "mirrors";
    give_to_readers(mirrors);
    auto daemon = site.start_synced();
    CHECK(group_of(site.mirror()) == readers_group);
    CHECK(mode_of(mirrors + "/antwerp") == 02750);

    const auto reads = [&](const std::string& when) {
        INFO(when);
        const auto ran = site.ctl(count_query, "", as_reader);
        INFO(ran.err);
        CHECK(ran.code == 0);
        CHECK(ran.out.find("600") != std::string::npos);
        const auto refused = site.ctl(count_query, "", as_stranger);
        INFO(refused.out << refused.err);
        CHECK(refused.code != 0);
    };
    const auto pass_under_way = [&] {
        sim::Fault slow;
        slow.path = recipes_path;
        slow.times = std::nullopt;
        slow.delay = std::chrono::milliseconds(300);
        site.service().world()->reset_audit();
        site.service().world()->faults.add(slow);
        site.ctl_done({"sync", "antwerp", "--background"});
        daemon->await("two pages have come",
                      [&] { return site.service().world()->audit_report().count("GET", recipes_path) >= 2; });
    };
    pass_under_way();
    reads("during a pass");
    daemon->kill();
    reads("after kill -9 in mid-pass");
    site.service().world()->faults.clear();
    daemon = site.start_ready();
    site.ctl_done({"sync", "antwerp"});
    CHECK(daemon->stop().code == 0);
    reads("stopped");

    // Readers look; nobody but the daemon's user writes, or sees a token.
    const auto write = site.ctl({"sql", "antwerp", "DELETE FROM recipes"}, "", as_reader);
    CHECK(write.code != 0);
    const auto token = run_program({"/usr/bin/setpriv", "--reuid=64124", "--regid=64124", "--groups=64123", "/bin/cat",
                                    site.directory() / "tokens/antwerp/journal.a"});
    CHECK(token.code != 0);
    CHECK(token.out.empty());
}

TEST_CASE("a reader in a transaction goes on seeing the list as it was, while passes are published beside it")
{
    if (geteuid() != 0) {
        WARN("skipped: only root can be another user");
        return;
    }
    Site site({.world = {.rows_of = {{"library/recipes", 600}}}});
    give_to_readers(site.directory() / "mirrors");
    auto daemon = site.start_synced();
    const TempDirectory files;
    REQUIRE(chmod(files.path().c_str(), 0755) == 0);
    const std::string query = "SELECT count(*) FROM recipes;\n";
    write_file(files / "script", ".timeout 2000\nBEGIN;\n" + query + ".shell while [ ! -e '" + (files / "go") +
                                     "' ]; do sleep 0.05; done\n" + query + "COMMIT;\n" + query);
    Process::Settings settings;
    settings.argv = as_reader;
    settings.argv.insert(settings.argv.end(), {"/usr/bin/sqlite3", "-readonly", site.mirror()});
    settings.environment = {{"PATH", "/usr/bin:/bin"}, {"HOME", "/nonexistent"}};
    settings.stdin_file = files / "script";
    settings.stdout_file = files / "out";
    settings.stderr_file = files / "err";
    Process reader(settings);
    daemon->await("the reader has begun", [&] { return read_file(files / "out") == "600\n"; });
    sim::Edit edit;
    edit.add.assign(5, sim::Json::object({{"name", "one more"}}));
    for (int pass = 0; pass < 3; ++pass) {
        site.service().world()->edit("lib01", "library/recipes", edit);
        site.ctl_done({"sync", "antwerp"});
    }
    CHECK(site.sql("SELECT count(*) FROM recipes") == "615");
    write_file(files / "go", "");
    CHECK(reader.wait().code == 0);
    CHECK(read_file(files / "out") == "600\n600\n615\n");
    CHECK(read_file(files / "err").empty());
    CHECK(daemon->stop().code == 0);
}

TEST_CASE("a mirror that is mounted read-only elsewhere reads there as well, with the daemon writing and without")
{
    if (geteuid() != 0) {
        WARN("skipped: only root can mount");
        return;
    }
    Site site;
    give_to_readers(site.directory() / "mirrors");
    auto daemon = site.start_synced();
    const TempDirectory window;
    REQUIRE(chmod(window.path().c_str(), 0755) == 0);
    const auto mirror_directory = site.directory() / "mirrors/antwerp";
    if (mount(mirror_directory.c_str(), window.path().c_str(), nullptr, MS_BIND, nullptr) != 0) {
        WARN("skipped: nothing can be mounted here: " << std::strerror(errno));
        return;
    }
    struct Unmounting {
        std::string path;
        ~Unmounting() { umount2(path.c_str(), MNT_DETACH); }
    };
    const Unmounting unmounting{window.path()};
    REQUIRE(mount(nullptr, window.path().c_str(), nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr) == 0);
    const auto count = [&] {
        const std::vector<std::string> look = {"/usr/bin/sqlite3", "-readonly", window / "antwerp.db",
                                               "SELECT count(*) FROM recipes"};
        auto as_another = as_reader;
        as_another.insert(as_another.end(), look.begin(), look.end());
        const auto ran = run_program(look);
        const auto seen = run_program(as_another);
        INFO(ran.err << seen.err);
        CHECK(ran.code == 0);
        CHECK(seen.code == 0);
        CHECK(seen.out == ran.out);
        return ran.out;
    };
    const auto expected = site.sql("SELECT count(*) FROM recipes") + "\n";
    CHECK(expected != "0\n");
    CHECK(count() == expected);
    daemon->kill();
    CHECK(count() == expected);
    daemon = site.start_ready();
    CHECK(daemon->stop().code == 0);
    CHECK(count() == expected);
}

#include "ctl/mirror_bench.hpp"
#include "ctl/survey/path_facts.hpp"
#include "ctl/survey/people.hpp"
#include "ctl/survey/storage_facts.hpp"
#include "ctl/survey/survey.hpp"
#include "ctl/survey/system_facts.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include <sys/stat.h>
#include <unistd.h>

namespace shelfd::ctl {
namespace {

namespace fs = std::filesystem;

struct PlantedMachine {
    TempDirectory directory;
    SystemRoots roots{directory / "proc", directory / "etc", directory / "run", directory / "lib", directory / "zones"};

    void file(const std::string& name, const std::string& text)
    {
        fs::create_directories(fs::path(directory / name).parent_path());
        write_file(directory / name, text, 0644);
    }
};

TEST_CASE("the machine's limits, clock, timezones, id and unit are read from where the system shows them")
{
    PlantedMachine machine;
    machine.file("proc/sys/fs/inotify/max_user_watches", "65536\n");
    machine.file("proc/sys/fs/inotify/max_user_instances", "128\n");
    machine.file("run/systemd/timesync/synchronized", "");
    fs::create_directories(machine.directory / "run/systemd/system");
    machine.file("etc/machine-id", "0123456789abcdef0123456789abcdef\n");
    machine.file("zones/UTC", "");
    fs::create_directories(machine.directory / "zones/Europe");
    machine.file("lib/systemd/system/shelfd.service",
                 "[Service]\nUser=shelfd\nStateDirectory=shelfd\n# ReadWritePaths=/no\n");
    machine.file("etc/systemd/system/shelfd.service.d/20-user.conf", "[Service]\nUser=other\n");
    machine.file("etc/systemd/system/shelfd.service.d/10-copy.conf",
                 "[Service]\nReadWritePaths=-/second/tokens /third\n");
    machine.file("etc/systemd/system/shelfd.service.d/ignored.txt", "[Service]\nUser=nobody\n");
    const auto system = read_system(machine.roots, "");
    CHECK(system.max_watches == 65536);
    CHECK(system.max_instances == 128);
    CHECK(system.clock_synchronised == true);
    CHECK(system.machine_id == "0123456789abcdef0123456789abcdef");
    CHECK(system.zones);
    CHECK(system.systemd);
    CHECK(system.unit == machine.directory / "lib/systemd/system/shelfd.service");
    CHECK(system.drop_ins.size() == 2);
    CHECK(system.unit_user == "other");
    CHECK(system.writable == std::vector<std::string>{"/var/lib/shelfd", "/second/tokens", "/third"});
    CHECK(system.sqlite.starts_with("3."));
    CHECK(system.kernel.starts_with("Linux "));
    CHECK(read_system(machine.roots, "own").machine_id == "own");
}

TEST_CASE("a drop-in that empties a list of paths takes back what stood before")
{
    PlantedMachine machine;
    machine.file("lib/systemd/system/shelfd.service", "[Service]\nStateDirectory=shelfd\nReadWritePaths=/a\n");
    machine.file("etc/systemd/system/shelfd.service.d/10.conf", "[Service]\nReadWritePaths=\nReadWritePaths=/b\n");
    CHECK(read_system(machine.roots, "").writable == std::vector<std::string>{"/var/lib/shelfd", "/b"});
}

TEST_CASE("a further instance has the unit of its template, with its own drop-ins")
{
    PlantedMachine machine;
    machine.file("lib/systemd/system/shelfd.service", "[Service]\nStateDirectory=shelfd\nUser=first\n");
    machine.file("lib/systemd/system/shelfd@.service", "[Service]\nStateDirectory=shelfd-%i\nUser=shelfd\n");
    machine.file("etc/systemd/system/shelfd.service.d/10.conf", "[Service]\nReadWritePaths=/first\n");
    machine.file("etc/systemd/system/shelfd@.service.d/10.conf", "[Service]\nReadWritePaths=/all/%i\n");
    machine.file("etc/systemd/system/shelfd@two.service.d/10.conf", "[Service]\nReadWritePaths=/two\n");
    machine.file("etc/systemd/system/shelfd@three.service.d/10.conf", "[Service]\nReadWritePaths=/three\n");
    const auto system = read_system(machine.roots, "", "shelfd@two");
    CHECK(system.unit.ends_with("/shelfd@.service"));
    CHECK(system.unit_user == "shelfd");
    CHECK(system.writable == std::vector<std::string>{"/var/lib/shelfd-two", "/all/two", "/two"});
}

TEST_CASE("a machine that shows nothing leaves everything unknown")
{
    PlantedMachine machine;
    const auto system = read_system(machine.roots, "");
    CHECK(system.max_watches == 0);
    CHECK(system.machine_id == "");
    CHECK(!system.machine_id_hidden);
    CHECK(!system.zones);
    CHECK(!system.systemd);
}

TEST_CASE("of the daemon's process its user, its limit and a replaced program are known")
{
    PlantedMachine machine;
    machine.file("proc/77/limits", "Limit                     Soft Limit           Hard Limit           Units\n"
                                   "Max open files            16384                16384                files\n");
    fs::create_directories(machine.directory / "proc/77/fd");
    machine.file("proc/77/fd/0", "");
    machine.file("proc/77/fd/1", "");
    fs::create_symlink("/usr/sbin/shelfd (deleted)", machine.directory / "proc/77/exe");
    DaemonFacts daemon;
    daemon.pid = 77;
    read_process(machine.roots, daemon);
    CHECK(daemon.uid == ::geteuid());
    CHECK(daemon.open_files == 16384);
    CHECK(daemon.files_in_use == 2);
    CHECK(daemon.program_replaced);
}

TEST_CASE("names in the file system are described without following a link")
{
    TempDirectory directory;
    write_file(directory / "file", "12345", 0640);
    fs::create_symlink(directory / "file", directory / "link");
    const auto file = look_at(directory / "file");
    CHECK(file.kind == PathFacts::Kind::file);
    CHECK(file.mode == 0640);
    CHECK(file.bytes == 5);
    CHECK(file.links == 1);
    CHECK(look_at(directory / "link").kind == PathFacts::Kind::link);
    CHECK(look_behind(directory / "link").kind == PathFacts::Kind::file);
    CHECK(look_behind(directory / "link").path == directory / "link");
    CHECK(look_at(directory / "none").kind == PathFacts::Kind::missing);
    CHECK(look_at(directory / "file/below").kind == PathFacts::Kind::missing);
    auto parent = look_at(directory.path());
    CHECK(look_into(parent).size() == 2);
    const auto above = look_above(directory / "file");
    CHECK(above.front().path == "/");
    CHECK(above.back().path == directory.path());
    const auto disk = look_at_disk(directory.path(), true);
    CHECK(disk.trouble == "");
    CHECK(disk.bytes > 0);
    CHECK(look_at_disk(directory / "none", true).trouble != "");
}

TEST_CASE("users and groups come from the name service, and an unknown one stays a number")
{
    const auto people = read_people({"no_such_group"});
    REQUIRE(people.find_user(uid_t{0}) != nullptr);
    CHECK(people.user_name(0) == "root");
    CHECK(people.group_name(0) == "root");
    CHECK(people.find_group(std::string("no_such_group")) == nullptr);
    CHECK(people.user_name(4'000'000'001) == "4000000001");
}

TEST_CASE("the growth of a mirror and the error of the clock are taken from its last passes")
{
    MirrorBench bench;
    bench.load(R"({"id": 1}, {"id": 2})");
    bench.change("INSERT INTO _runs (run_id, resource, mode, result, started_at, finished_at, as_of, requests, pages, "
                 "bytes, rows, added, deleted) VALUES "
                 "('a', 'recipes', 'full', 'published', strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-4 days'), "
                 "strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-4 days', '+1 minute'), "
                 "strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-4 days', '-3 hours'), 1, 1, 1, 9, 4, 0), "
                 "('b', 'recipes', 'full', 'published', strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-1 day'), "
                 "strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-1 day', '+1 minute'), "
                 "strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-1 day', '-2 hours'), 1, 1, 1, 9, 4, 0)");
    bench.change("DELETE FROM _runs WHERE run_id = 'run-1'");
    auto mirrors = look_at(bench.directory / "mirrors");
    fs::create_directories(bench.directory / "mirrors/lost+found");
    const auto all = look_at_mirrors(mirrors, {"antwerp", "ghent"}, 0);
    REQUIRE(all.size() == 2);
    const auto& mirror = all[0];
    CHECK(mirror.trouble == "");
    CHECK(mirror.used_bytes > 0);
    REQUIRE(mirror.clock_error);
    CHECK(std::chrono::abs(*mirror.clock_error - std::chrono::hours(2)) < std::chrono::seconds(2));
    // Eight rows in four days, each a half of the file's pages in use.
    REQUIRE(mirror.bytes_a_day);
    CHECK(*mirror.bytes_a_day == Approx(static_cast<double>(mirror.used_bytes)).epsilon(0.01));
    CHECK(mirror.newest_run);
    CHECK(all[1].directory.kind == PathFacts::Kind::missing);
}

TEST_CASE("a service that sends no date says nothing about the clock")
{
    MirrorBench bench;
    bench.load(R"({"id": 1})");
    bench.change("UPDATE _runs SET as_of = '2024-01-06T05:55:00.000000Z', started_at = '2024-01-06T06:00:00.000000Z'");
    auto mirrors = look_at(bench.directory / "mirrors");
    CHECK(!look_at_mirrors(mirrors, {"antwerp"}, 0).front().clock_error);
}

TEST_CASE("the configuration of a daemon whose secret is missing is still checked")
{
    VerbBench bench;
    write_file(bench.command.config_file,
               fmt::format("[storage]\nmirrors = \"{0}/m\"\ntokens = \"{0}/t\"\n[library.antwerp]\n"
                           "base_url = \"https://api.example.com\"\nclient_id = \"x\"\n"
                           "client_secret = {{ file = \"{0}/none\" }}\n[resource.recipes]\npath = \"/r/\"\n"
                           "every = \"1h\"\n",
                           bench.directory.path()));
    const auto facts = survey(bench.context());
    CHECK(facts.config.faults.size() == 1);
    REQUIRE(facts.configuration() != nullptr);
    REQUIRE(facts.secrets.size() == 1);
    CHECK(facts.secrets[0].file.kind == PathFacts::Kind::missing);
    CHECK(facts.places.size() == 2);
    CHECK(!facts.daemon.answers);
}

}  // namespace
}  // namespace shelfd::ctl

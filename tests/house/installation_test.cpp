#include "support/catch.hpp"
#include "support/process.hpp"
#include "support/temp_directory.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include <unistd.h>

// `cmake --install` of the tree under test, as a packager calls it.
using shelfd::read_file;
using shelfd::run_program;
using shelfd::TempDirectory;

namespace {

namespace fs = std::filesystem;

const std::string path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const std::map<std::string, std::string> environment = {{"PATH", path}, {"LC_ALL", "C.UTF-8"}};

// Found in PATH, and able to do what this argument asks of it; an old or a missing tool is no fault of ours.
bool is_there(const std::string& tool, const std::string& argument)
{
    return run_program({"/usr/bin/env", tool, argument}, environment).code == 0;
}

void install(const TempDirectory& destination, const std::string& prefix)
{
    auto variables = environment;
    variables["DESTDIR"] = destination.path();
    const auto ran =
        run_program({"/usr/bin/env", "cmake", "--install", SHELFD_BUILD_DIR, "--prefix", prefix}, variables);
    INFO(ran.out + ran.err);
    REQUIRE(ran.code == 0);
}

std::string replace_all(std::string text, const std::string& from, const std::string& to)
{
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
    return text;
}

// The unit as it will be once the files lie under the prefix: `verify` asks whether its programs are there.
std::string unit_in_place(const TempDirectory& destination, const std::string& prefix)
{
    const auto unit = read_file(destination / (prefix + "/lib/systemd/system/shelfd.service"));
    const auto copy = destination / "shelfd.service";
    shelfd::write_file(copy, replace_all(unit, prefix + "/", destination / prefix + "/"), 0644);
    return copy;
}

}  // namespace

TEST_CASE("an installation puts each file where its reader looks, below any prefix")
{
    const std::vector<std::string> prefixes = {"/usr", "/opt/shelfd"};
    for (const auto& prefix : prefixes) {
        DYNAMIC_SECTION(prefix)
        {
            const TempDirectory destination;
            install(destination, prefix);
            for (const auto* file :
                 {"sbin/shelfd", "bin/shelfctl", "lib/systemd/system/shelfd.service",
                  "lib/systemd/system/shelfd@.service", "lib/systemd/user/shelfd.service", "lib/sysusers.d/shelfd.conf",
                  "lib/tmpfiles.d/shelfd.conf", "share/doc/shelfd/README.md", "share/doc/shelfd/NEWS.md",
                  "share/doc/shelfd/SECURITY.md", "share/doc/shelfd/cookbook/README.md",
                  "share/doc/shelfd/cookbook/changes.md", "share/doc/shelfd/examples/shelfd.toml",
                  "share/doc/shelfd/examples/prometheus/shelfd.rules.yml", "share/shelfd/letters/nl.txt",
                  "share/doc/shelfd/examples/grafana/shelfd.json"}) {
                CAPTURE(file);
                CHECK(fs::is_regular_file(destination / (prefix + "/" + file)));
            }
            const auto users = read_file(destination / (prefix + "/lib/systemd/user/shelfd.service"));
            CHECK_THAT(users, Catch::Matchers::Contains(
                                  fmt::format("\nExecStart={}/sbin/shelfd --config %E/shelfd/shelfd.toml\n", prefix)));
            const auto unit = read_file(destination / (prefix + "/lib/systemd/system/shelfd.service"));
            CHECK_THAT(unit, Catch::Matchers::Contains(fmt::format("\nExecStart={}/sbin/shelfd ", prefix)));
            CHECK_THAT(unit, Catch::Matchers::Contains(fmt::format("\nExecReload={}/bin/shelfctl ", prefix)));
            CHECK_THAT(unit, !Catch::Matchers::Contains("@"
                                                        "SHELFD"));
        }
    }
}

TEST_CASE("a further instance has its own configuration and directories, and all else of the unit")
{
    const TempDirectory destination;
    install(destination, "/usr");
    const auto one = read_file(destination / "/usr/lib/systemd/system/shelfd.service");
    auto further = read_file(destination / "/usr/lib/systemd/system/shelfd@.service");
    for (const auto* line :
         {"ExecStart=/usr/sbin/shelfd --config /etc/shelfd/%i/shelfd.toml", "StateDirectory=shelfd-%i",
          "RuntimeDirectory=shelfd-%i",
          "ExecStartPre=+/usr/bin/install -d -o shelfd -g shelfd -m 0700 /var/lib/shelfd-%i/tokens"}) {
        CAPTURE(line);
        CHECK_THAT(further, Catch::Matchers::Contains("\n" + std::string(line) + "\n"));
    }
    static const std::regex prepare("ExecStartPre=[^\n]*\n");
    further = std::regex_replace(further, prepare, "");
    further = replace_all(replace_all(replace_all(further, "/etc/shelfd/%i", "/etc/shelfd"), "shelfd-%i", "shelfd"),
                          " (%i)", "");
    CHECK(further == replace_all(one, "# Its directories come from tmpfiles.d.\n", ""));
}

TEST_CASE("nothing is installed outside the prefix, and the simulator stays at home")
{
    const TempDirectory destination;
    install(destination, "/opt/shelfd");
    for (const auto& entry : fs::recursive_directory_iterator(destination.path())) {
        const auto file = fs::relative(entry.path(), destination.path()).string();
        CAPTURE(file);
        CHECK((file == "opt" || file.starts_with("opt/shelfd")));
        CHECK(entry.path().filename() != "shelfsim");
        CHECK((fs::status(entry).permissions() & fs::perms::others_write) == fs::perms::none);
    }
}

TEST_CASE("every manual page and every completion of the tree is installed")
{
    const TempDirectory destination;
    install(destination, "/usr");
    std::size_t pages = 0;
    const fs::path source = SHELFD_SOURCE_DIR;
    if (fs::is_directory(source / "contrib/man")) {
        for (const auto& page : fs::directory_iterator(source / "contrib/man")) {
            const auto section = page.path().extension().string().substr(1);
            CAPTURE(page.path());
            CHECK(fs::exists(destination / ("/usr/share/man/man" + section) / page.path().filename()));
            ++pages;
        }
    }
    CHECK(pages >= 5);
    for (const auto* completion : {"bash-completion/completions/shelfctl", "zsh/vendor-completions/_shelfctl",
                                   "fish/vendor_completions.d/shelfctl.fish"}) {
        CAPTURE(completion);
        CHECK(fs::is_regular_file(destination / (std::string("/usr/share/") + completion)));
    }
}

TEST_CASE("systemd finds nothing to say about the installed unit")
{
    if (!is_there("systemd-analyze", "--version")) {
        WARN("skipped: no systemd-analyze here");
        return;
    }
    const TempDirectory destination;
    install(destination, "/opt/shelfd");
    const auto ran = run_program(
        {"/usr/bin/env", "systemd-analyze", "verify", unit_in_place(destination, "/opt/shelfd")}, environment);
    CHECK(ran.out + ran.err == "");
    CHECK(ran.code == 0);
}

TEST_CASE("the unit's exposure stays at most 1.2")
{
    if (!is_there("systemd-analyze", "--version")) {
        WARN("skipped: no systemd-analyze here");
        return;
    }
    const TempDirectory destination;
    install(destination, "/opt/shelfd");
    const auto ran = run_program({"/usr/bin/env", "systemd-analyze", "security", "--offline=yes", "--no-pager",
                                  "--threshold=12", unit_in_place(destination, "/opt/shelfd")},
                                 environment);
    std::smatch score;
    static const std::regex closing("Overall exposure level for shelfd.service: ([0-9.]+)");
    const auto text = ran.out + ran.err;
    REQUIRE(std::regex_search(text, score, closing));
    WARN("exposure " << score[1].str());
    CHECK(ran.code == 0);
    CHECK(std::stod(score[1].str()) <= 1.2);
}

TEST_CASE("the sandbox leaves open what the daemon needs")
{
    const auto unit = read_file(std::string(SHELFD_SOURCE_DIR) + "/systemd/shelfd.service.in");
    struct Row {
        std::string why;
        std::string line;
    };
    const std::vector<Row> rows = {
        {"READY and the watchdog come by notification", "Type=notify"},
        {"a reload is synchronous and may fail", "ExecReload=@SHELFD_BINDIR@/shelfctl --config"},
        {"a fault that only a person mends does not restart", "RestartPreventExitStatus=64 77 78"},
        {"a token exchange of 180 s is waited for", "TimeoutStopSec=200"},
        {"no core holds a token", "LimitCORE=0"},
        {"a set that no disk takes outlives a stop", "RuntimeDirectoryPreserve=yes"},
        {"readers pass through the state directory", "StateDirectoryMode=0751"},
        {"the network, resolvers, the control socket", "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.why);
        CHECK_THAT(unit, Catch::Matchers::Contains("\n" + row.line));
    }
    // Peers of the control socket are known by uid and group: both vanish in a user namespace.
    CHECK_THAT(unit, !Catch::Matchers::Contains("\nPrivateUsers="));
    CHECK_THAT(unit, !Catch::Matchers::Contains("\nPrivateNetwork="));
    // In the pid subset there is no /proc/sys, which has the boot id.
    CHECK_THAT(unit, Catch::Matchers::Contains("\nProcSubset=pid\n"));
    CHECK_THAT(unit, Catch::Matchers::Contains("\nEnvironment=SHELFD_BOOT_ID=%b\n"));
}

TEST_CASE("users, groups and directories come out as the readers of mirrors need them")
{
    const std::string source = SHELFD_SOURCE_DIR;
    if (!is_there("systemd-sysusers", "--version") || !is_there("systemd-tmpfiles", "--version")) {
        WARN("skipped: no systemd-sysusers or systemd-tmpfiles here");
        return;
    }
    if (geteuid() != 0) {
        WARN("skipped: only root can make users and give files away");
        return;
    }
    const TempDirectory system;
    fs::create_directories(system / "etc");
    const auto users = run_program(
        {"/usr/bin/env", "systemd-sysusers", "--root=" + system.path(), source + "/systemd/sysusers.d/shelfd.conf"},
        environment);
    INFO(users.out + users.err);
    REQUIRE(users.code == 0);
    CHECK_THAT(read_file(system / "etc/passwd"), Catch::Matchers::Contains("shelfd:x:"));
    const auto groups = read_file(system / "etc/group");
    CHECK(std::regex_search(groups, std::regex("shelfd-read:x:[0-9]+:shelfd\n")));
    CHECK(std::regex_search(groups, std::regex("shelfd-admin:x:[0-9]+:\n")));

    const auto directories = run_program({"/usr/bin/env", "systemd-tmpfiles", "--create", "--root=" + system.path(),
                                          source + "/systemd/tmpfiles.d/shelfd.conf"},
                                         environment);
    INFO(directories.out + directories.err);
    REQUIRE(directories.code == 0);
    const std::map<std::string, unsigned> modes = {{"var/lib/shelfd", 0751},
                                                   {"var/lib/shelfd/mirrors", 02750},
                                                   {"var/lib/shelfd/tokens", 0700},
                                                   {"etc/shelfd", 0755},
                                                   {"etc/shelfd/secrets", 0750}};
    for (const auto& [directory, mode] : modes) {
        CAPTURE(directory);
        CHECK(static_cast<unsigned>(fs::status(system / directory).permissions()) == mode);
    }
}

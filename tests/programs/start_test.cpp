// A daemon that must not start says why, and says it with its exit code, too.
#include "site.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <regex>

#include <sys/stat.h>
#include <unistd.h>

using namespace shelfd;

namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by)
{
    const auto place = text.find(what);
    if (place == std::string::npos) {
        throw std::runtime_error("the configuration has no " + what);
    }
    return text.replace(place, what.size(), by);
}

// The configuration of a daemon that shares only `shared` ("storage" or "socket") with the site's own.
std::string neighbour(Site& site, const std::string& shared)
{
    auto text = site.config_text({"antwerp"});
    const auto& directory = site.directory();
    if (shared != "socket") {
        text = replaced(text, site.socket(), directory / "other.sock");
    }
    if (shared != "storage") {
        std::filesystem::create_directory(directory / "other_mirrors");
        std::filesystem::create_directory(directory / "other_tokens");
        chmod((directory / "other_tokens").c_str(), 0700);
        text = replaced(text, directory / "mirrors", directory / "other_mirrors");
        text = replaced(text, directory / "tokens", directory / "other_tokens");
    }
    return text;
}

std::unique_ptr<DaemonProcess> start_with(Site& site, const std::string& config,
                                          const std::vector<std::string>& under = {})
{
    const auto file = site.directory() / "second.toml";
    write_file(file, config, 0644);
    return site.start({}, under, file);
}

}  // namespace

TEST_CASE("a daemon of many libraries has begun again without malloc's caches for each thread, and is the same process")
{
    const auto begun_without = [](Site& site) {
        auto daemon = site.start_ready();
        const auto environment = read_file(fmt::format("/proc/{}/environ", daemon->pid()));
        CHECK(environment.find("NOTIFY_SOCKET=") != std::string::npos);
        CHECK(daemon->stop().code == 0);
        return environment.find("GLIBC_TUNABLES=glibc.malloc.tcache_count=0") != std::string::npos;
    };
    SiteOptions many{.libraries = {}};
    for (int i = 1; i <= 100; ++i) {
        many.libraries.push_back(fmt::format("library{}", i));
    }
    Site few;
    Site all(many);
    CHECK_FALSE(begun_without(few));
    CHECK(begun_without(all));
}

TEST_CASE("a daemon may open as many files as root allows, and a reload that adds too many libraries is refused")
{
    Site site;
    CHECK(site.start_synced()->stop().code == 0);
    auto daemon = site.start({}, {"/usr/bin/prlimit", "--nofile=128:258"});
    daemon->await("it has begun", [&] { return daemon->told("READY=1"); });
    const auto limits = read_file(fmt::format("/proc/{}/limits", daemon->pid()));
    CHECK(std::regex_search(limits, std::regex("Max open files +258 +258 ")));
    // One library may need 259 files; a reload that adds none needs no more than before.
    CHECK(site.ctl({"reload"}).code == 0);
    const auto one = read_file(site.config_file());
    site.write_config(site.config_text({"antwerp", "ghent"}));
    for (const auto& arguments :
         {std::vector<std::string>{"reload"}, std::vector<std::string>{"reload", "--dry-run"}}) {
        const auto refused = site.ctl(arguments);
        CHECK(refused.code != 0);
        CHECK(refused.err.find("needs 262 open files (libraries: 2), and this process may open 258") !=
              std::string::npos);
        CHECK(refused.err.find("ulimit -n 262") != std::string::npos);
    }
    CHECK(site.ctl({"status"}).out.find("not running") == std::string::npos);
    site.write_config(one);
    CHECK(site.ctl({"reload"}).code == 0);
    CHECK(daemon->stop().code == 0);
}

TEST_CASE("a second daemon on the same storage exits 75 and says which process holds it")
{
    Site site;
    auto first = site.start_ready();
    auto second = start_with(site, neighbour(site, "storage"));
    CHECK(second->wait().code == 75);
    INFO(second->log());
    CHECK(second->log().find(fmt::format("process {}", first->pid())) != std::string::npos);
    CHECK_FALSE(second->told("READY=1"));
    CHECK(site.ctl({"status"}).code == 2);
    CHECK(first->stop().code == 0);
    // What the first let go of can be had, after a kill as after a stop.
    auto third = site.start_ready();
    third->kill();
    CHECK(site.start_ready()->stop().code == 0);
}

TEST_CASE("a control socket that another program answers on is left to it, exit 69")
{
    Site site;
    auto first = site.start_ready();
    auto second = start_with(site, neighbour(site, "socket"));
    CHECK(second->wait().code == 69);
    INFO(second->log());
    CHECK(second->log().find(site.socket()) != std::string::npos);
    CHECK(site.ctl({"status"}).code == 2);
}

TEST_CASE("a configuration that cannot be exits 78 with file, line and column of each fault")
{
    Site site;
    const auto good = site.config_text({"antwerp"});
    auto daemon =
        start_with(site, replaced(replaced(good, "page_size", "page_sise"), "every = \"1h\"", "every = \"soon\""));
    CHECK(daemon->wait().code == 78);
    const auto log = daemon->log();
    INFO(log);
    CHECK(std::regex_search(log, std::regex("second\\.toml:4:1: .*page_sise.*page_size")));
    CHECK(std::regex_search(log, std::regex("second\\.toml:20:9: every must be a duration")));
    CHECK_FALSE(std::filesystem::exists(site.mirror()));
}

TEST_CASE("directories that are not there, or not ours, stop the start with a sentence")
{
    Site site;
    const auto& directory = site.directory();
    const auto good = site.config_text({"antwerp"});
    write_file(directory / "a_file", "");
    struct Row {
        std::string name;
        std::string what;
        std::string by;
        int code;
        std::string said;
    };
    const std::vector<Row> rows = {
        {"no directory of mirrors", directory / "mirrors", directory / "nowhere/mirrors", 74,
         "nowhere/mirrors: mount its file system, create it (install -d -o USER -m 2750 "},
        {"no directory of tokens", directory / "tokens", directory / "nowhere/tokens", 74,
         "nowhere/tokens), or correct storage.tokens and restart"},
        {"a file in the place of the mirrors", directory / "mirrors", directory / "a_file", 74, "a_file"},
        {"no directory of the socket", site.socket(), directory / "nowhere/control.sock", 78, "control.socket"},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        auto daemon = start_with(site, replaced(good, row.what, row.by));
        CHECK(daemon->wait().code == row.code);
        INFO(daemon->log());
        CHECK(daemon->log().find(row.said) != std::string::npos);
    }
}

TEST_CASE("a library whose token directory is open to others waits for the chmod it names, and the others run on")
{
    Site site({.libraries = {"antwerp", "bruges"}});
    CHECK(site.start_synced()->stop().code == 0);
    const auto open = site.directory() / "tokens/bruges";
    chmod(open.c_str(), 0755);
    auto daemon = site.start_ready();
    const auto status = site.ctl({"status"});
    INFO(status.out);
    CHECK(status.code == 2);
    CHECK(status.out.find("chmod 0700 " + open) != std::string::npos);
    CHECK(site.ctl({"sync", "antwerp", "--full"}).code == 0);
    CHECK(site.ctl({"auth", "token", "bruges"}).code == 2);
    CHECK(site.ctl({"auth", "forget", "bruges"}).code != 0);
    chmod(open.c_str(), 0700);
    site.ctl_done({"reload"});
    CHECK(site.ctl({"sync", "bruges", "--full"}).code == 0);
    CHECK(site.ctl({"auth", "status"}).code == 0);
    CHECK(daemon->stop().code == 0);
}

TEST_CASE("with the disk of one copy of the tokens gone, whichever it is, the set goes on on the other one")
{
    Site site;
    const auto& directory = site.directory();
    site.write_config(replaced(site.config_text({"antwerp"}), "allow_unsafe",
                               "tokens_copy = \"" + directory / "copy" + "\"\nallow_unsafe"));
    CHECK(site.start_synced()->stop().code == 0);
    for (const std::string gone : {"copy", "tokens"}) {
        INFO(gone);
        std::filesystem::rename(directory / gone, directory / "away");
        write_file(directory / gone, "no directory");
        auto daemon = site.start_ready();
        const auto status = site.ctl({"status"});
        INFO(status.out);
        CHECK(status.code == 2);
        CHECK(status.out.find("only one copy of the token journals can be used") != std::string::npos);
        CHECK(status.out.find(directory / gone) != std::string::npos);
        CHECK(site.ctl({"sync", "antwerp", "--full"}).code == 0);
        std::filesystem::remove(directory / gone);
        std::filesystem::rename(directory / "away", directory / gone);
        site.ctl_done({"reload"});
        CHECK(site.ctl({"wait", "antwerp"}).code == 0);
        CHECK(site.ctl({"auth", "status"}).code == 0);
        CHECK(daemon->stop().code == 0);
    }
}

TEST_CASE("storage that belongs to another user exits 77 and names the place")
{
    if (geteuid() != 0) {
        WARN("skipped: only root can start the daemon as another user");
        return;
    }
    Site site;
    const auto good = site.config_text({"antwerp"});
    chmod((site.directory() / "secrets").c_str(), 0755);
    chmod((site.directory() / "tokens").c_str(), 0755);
    auto daemon = start_with(site, good, {"/usr/bin/setpriv", "--reuid=65533", "--regid=65533", "--clear-groups"});
    CHECK(daemon->wait().code == 77);
    INFO(daemon->log());
    CHECK(daemon->log().find(site.directory() / "mirrors") != std::string::npos);
}

TEST_CASE("a command line that cannot be exits 64, and --check-config tells good from bad")
{
    Site site;
    CHECK(site.start({"--frobnicate"})->wait().code == 64);
    auto unnamed = site.start({}, {"/bin/sh", "-c", "exec \"$1\" --config", "sh"});
    CHECK(unnamed->wait().code == 64);
    CHECK(unnamed->log().find("--config needs the path of a file") != std::string::npos);
    for (const auto* option : {"--version", "--help"}) {
        auto full = site.start({}, {"/bin/sh", "-c", std::string("exec \"$1\" ") + option + " >/dev/full", "sh"});
        CHECK(full->wait().code == 74);
    }
    CHECK(site.start({"--check-config"})->wait().code == 0);
    CHECK(site.start({"--check-state", "--once"})->wait().code == 64);
    CHECK(site.start({"--once", "--version"})->wait().code == 64);
    CHECK(site.start({"--version"})->wait().code == 0);
    CHECK(site.start({"--check-config"}, {}, site.directory() / "absent.toml")->wait().code == 78);
}

TEST_CASE("a configuration that others may change, or that waits for somebody, starts no daemon")
{
    Site site;
    const auto open_to_all = site.directory() / "open.toml";
    write_file(open_to_all, site.config_text({"antwerp"}), 0666);
    chmod(open_to_all.c_str(), 0666);
    auto daemon = site.start({}, {}, open_to_all);
    CHECK(daemon->wait().code == 77);
    CHECK(daemon->log().find("chmod go-w " + open_to_all) != std::string::npos);
    const auto pipe = site.directory() / "pipe.toml";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    daemon = site.start({}, {}, pipe);
    CHECK(daemon->wait().code == 78);
    CHECK(daemon->log().find("it is not a regular file") != std::string::npos);
}

TEST_CASE("a daemon without any secret that it can use does not start; one library's bad secret keeps no other dark")
{
    Site site({.libraries = {"antwerp", "bruges"}});
    const auto text = site.config_text({"antwerp", "bruges"});
    const auto antwerp = site.directory() / "secrets/antwerp", bruges = site.directory() / "secrets/bruges";
    struct Row {
        std::string name;
        std::string content;  // of antwerp's
        unsigned mode;
        int code;  // when it is the only one
        std::string said;
    };
    const std::vector<Row> rows = {
        {"empty", "", 0600, 78, "is empty"},
        {"two lines", "one\ntwo\n", 0600, 78, "more than one line"},
        {"world-readable", "one", 0644, 77, "chmod o-rwx"},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        write_file(antwerp, row.content, row.mode);
        chmod(antwerp.c_str(), row.mode);
        site.write_config(text);
        auto daemon = site.start_ready();
        const auto status = site.ctl({"status"});
        INFO(status.out << daemon->log());
        CHECK(status.out.find("the client secret of antwerp cannot be used: ") != std::string::npos);
        CHECK(status.out.find(row.said) != std::string::npos);
        CHECK(status.out.find("the client secret of bruges") == std::string::npos);
        CHECK(std::regex_search(status.out, std::regex("shelfd\\.toml:[0-9]+:[0-9]+: the secret's file")));
        // A reload with it is refused, and one without the fault says no more of it.
        const auto refused = site.ctl({"reload"});
        CHECK(refused.code == 78);
        CHECK(refused.err.find(row.said) != std::string::npos);
        write_file(antwerp, "good", 0600);
        chmod(antwerp.c_str(), 0600);
        site.ctl_done({"reload"});
        CHECK(site.ctl({"status"}).out.find("cannot be used") == std::string::npos);
        CHECK(daemon->stop().code == 0);

        write_file(antwerp, row.content, row.mode);
        chmod(antwerp.c_str(), row.mode);
        auto alone = text;
        alone.resize(alone.find("[library.bruges]"));
        auto second = start_with(site, alone);
        CHECK(second->wait().code == row.code);
        INFO(second->log());
        CHECK(second->log().find(row.said) != std::string::npos);
        CHECK(second->log().find("shelfctl reload") == std::string::npos);

        // A run of everything once leaves no daemon that could reload, whether it ends at once or not.
        for (const auto& config : {text, alone}) {
            site.write_config(config);
            auto once = site.start({"--once"});
            CHECK(once->wait().code == (config == alone ? row.code : 2));
            INFO(once->log());
            CHECK(once->log().find(row.said) != std::string::npos);
            CHECK(once->log().find("shelfctl reload") == std::string::npos);
            CHECK(once->log().find("shelfctl sync") == std::string::npos);
        }
    }
}

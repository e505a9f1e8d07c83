// What init leaves behind for a user without root, and what other verbs make of it.
#include "newcomer.hpp"
#include "site.hpp"
#include "strange_service.hpp"
#include "support/catch.hpp"
#include "support/terminal_process.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <regex>

#include <unistd.h>

using namespace shelfd;
namespace fs = std::filesystem;

namespace {

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

// The simulator's first customer as init is told of it; with its set.
std::vector<std::string> init_arguments(const Newcomer& person, Site& site)
{
    write_file(person.home / "set.json", site.token_response());
    auto line = person.init_of(site);
    line.insert(line.end(), {"--non-interactive", "--token-file", person.home / "set.json", "--path", recipes_path});
    return line;
}

bool can_leave_root()
{
    auto line = Newcomer::without_root();
    line.emplace_back("/bin/true");
    return run_program(line).code == 0;
}

// A daemon as init says that it is started, without root.
std::unique_ptr<DaemonProcess> start(const Newcomer& person)
{
    return std::make_unique<DaemonProcess>(
        DaemonStart{{"--config", person.config_file()}, person.home / "log", Newcomer::without_root()});
}

}  // namespace

TEST_CASE("after init a second library of the same application is added with its token set, and filled")
{
    Site site({.world = {.rows_of = {{"library/recipes", 30}}}, .libraries = {"antwerp", "ghent"}});
    {
        // One application, as a partner of the service has it.
        auto world = site.service().world();
        world->library("lib02").client_id = world->library("lib01").client_id;
        world->library("lib02").client_secret = world->library("lib01").client_secret;
    }
    Newcomer person;
    const auto ran = person.ctl(init_arguments(person, site));
    INFO(ran.out << ran.err);
    REQUIRE(ran.code == 0);
    const auto main = read_file(person.config_file());
    CHECK(contains(main, fmt::format("[application.main]\nclient_id = \"{}\"\nclient_secret = {{ file = \"{}\" }}\n",
                                     site.service().world()->library("lib01").client_id,
                                     person.home / ".config/shelfd/secrets/main")));
    // The scopes of the set that was pasted: what a login would ask for.
    CHECK(std::regex_search(main, std::regex(R"(\nscopes = \["accounts", [^\n]+\]  # what the token set may read\n)")));

    DaemonProcess daemon({{"--config", person.config_file()}, person.home / "log"});
    daemon.await_ready();
    const auto added = person.ctl({"library", "add", "ghent", "--yes"}, paste_of(site.service().view_set("lib02")));
    INFO(added.out << added.err);
    REQUIRE(added.code == 0);
    CHECK(contains(read_file(person.home / ".config/shelfd/conf.d/ghent.toml"), "application = \"main\"\n"));
    const auto waited = person.ctl({"wait", "--timeout", "5m"});
    INFO(waited.out << waited.err << daemon.log());
    CHECK(waited.code == 0);
    for (const auto* library : {"antwerp", "ghent"}) {
        CHECK(person.ctl({"sql", library, "--csv", "SELECT count(*) FROM recipes"}).out == "count(*)\n30\n");
    }

    // Each has its own mirror in a comment of its file; a rename follows.
    const auto before = read_file(person.home / ".config/shelfd/conf.d/antwerp.toml");
    CHECK(contains(before, "/mirrors/antwerp/antwerp.db\n# Its token set: shelfctl auth status antwerp\n"));
    REQUIRE(person.ctl({"library", "rename", "antwerp", "anvers"}).code == 0);
    const auto after = read_file(person.home / ".config/shelfd/conf.d/anvers.toml");
    CHECK(contains(after, "/mirrors/anvers/anvers.db\n# Its token set: shelfctl auth status anvers\n"));
    CHECK_FALSE(contains(after, "antwerp/"));
}

TEST_CASE("an application of conf.d that has the client ID is used, and another one keeps its name")
{
    Newcomer person;
    write_file(person.home / "secret", "hidden-client-secret\n");
    const auto config = person.home / ".config/shelfd";
    fs::create_directories(config + "/conf.d");
    write_file(config + "/old-secret", "older\n");
    fs::permissions(config + "/old-secret", fs::perms::owner_read);
    write_file(config + "/conf.d/apps.toml",
               fmt::format("[application.partner]\nclient_id = \"x\"\nclient_secret = {{ file = \"{0}\" }}\n"
                           "[application.main]\nclient_id = \"other\"\nclient_secret = {{ file = \"{0}\" }}\n",
                           config + "/old-secret"));
    const auto init = [&](const std::string& client) {
        return person.ctl({"init", "https://api.example.com", "--non-interactive", "--client-id", client,
                           "--client-secret-file", person.home / "secret", "--library", "antwerp", "--path", "/a/"});
    };
    const auto known = init("x");
    INFO(known.out << known.err);
    REQUIRE(known.code == 0);
    CHECK_FALSE(contains(read_file(person.config_file()), "[application."));
    CHECK(contains(read_file(config + "/conf.d/antwerp.toml"), "[library.antwerp]\napplication = \"partner\"\n"));
    CHECK_FALSE(fs::exists(config + "/secrets/main"));
    CHECK(person.ctl({"config", "check"}).code == 0);

    for (const auto* file : {"/shelfd.toml", "/conf.d/antwerp.toml", "/conf.d/lists.toml"}) {
        fs::remove(config + file);
    }
    const auto unknown = init("y");
    INFO(unknown.out << unknown.err);
    REQUIRE(unknown.code == 0);
    CHECK(contains(read_file(person.config_file()), "[application.main_2]\nclient_id = \"y\"\n"));
    CHECK(person.ctl({"config", "check"}).code == 0);
    // Of several, library add asks for one.
    const auto asked = person.ctl({"library", "add", "ghent", "--no-set"});
    CHECK(asked.code == 64);
    CHECK(contains(asked.err, "main_2"));
    CHECK(contains(asked.err, "partner"));
}

TEST_CASE("without root and with a manager of the user, init writes a unit and names the commands that start it")
{
    if (!can_leave_root()) {
        WARN("skipped: this needs user namespaces");
        return;
    }
    Newcomer person;
    write_file(person.home / "secret", "hidden-client-secret\n");
    fs::create_directories(person.home / "run/systemd");
    write_file(person.home / "run/systemd/private", "");
    const auto init = [&] {
        return person.ctl_without_root({"init", "https://api.example.com", "--non-interactive", "--client-id", "x",
                                        "--client-secret-file", person.home / "secret", "--library", "antwerp",
                                        "--path", "/a/"});
    };
    const auto unit = person.home / ".config/systemd/user/shelfd.service";
    const auto ran = init();
    INFO(ran.out << ran.err);
    REQUIRE(ran.code == 0);
    CHECK(contains(ran.out, "    systemctl --user daemon-reload\n    systemctl --user enable --now shelfd   # "));
    const auto text = read_file(unit);
    CHECK(contains(text, fmt::format("\nExecStart={} --config {}\n", built_program("shelfd"), person.config_file())));
    CHECK(contains(text, fmt::format("\nConditionPathExists={}\n", person.config_file())));
    CHECK_FALSE(contains(text, "@"));
    if (fs::exists("/usr/bin/systemd-analyze")) {
        const auto verified =
            run_program({"/usr/bin/systemd-analyze", "--user", "verify", "--man=no", unit}, person.environment());
        INFO(verified.out << verified.err);
        CHECK_FALSE(contains(verified.err, "shelfd.service:"));
    }

    // It is never written again, and one that starts another daemon is left alone.
    write_file(unit, "[Service]\nExecStart=/opt/shelfd --config /elsewhere/shelfd.toml\n");
    fs::remove_all(person.home / ".config/shelfd");
    const auto again = init();
    INFO(again.out << again.err);
    CHECK(again.code == 0);
    CHECK(contains(again.err, unit + " is there already and starts a daemon with another configuration"));
    CHECK(contains(again.out, fmt::format("    {} --config {}\n", built_program("shelfd"), person.config_file())));
    CHECK(contains(read_file(unit), "/opt/shelfd"));

    // Without a manager there is nothing that would read it.
    fs::remove_all(person.home / "run/systemd");
    fs::remove_all(person.home / ".config");
    const auto by_hand = init();
    CHECK(by_hand.code == 0);
    CHECK_FALSE(contains(by_hand.out, "systemctl"));
    CHECK(contains(by_hand.out, fmt::format("    {} --config {}\n", built_program("shelfd"), person.config_file())));
    CHECK_FALSE(fs::exists(unit));
}

TEST_CASE("without root, neither the status nor doctor asks for what only root can do")
{
    if (!can_leave_root()) {
        WARN("skipped: this needs user namespaces");
        return;
    }
    Site site({.world = {.rows_of = {{"library/recipes", 30}}}});
    Newcomer person;
    const auto ran = person.ctl_without_root(init_arguments(person, site));
    INFO(ran.out << ran.err);
    REQUIRE(ran.code == 0);
    auto daemon = start(person);
    daemon->await_ready();
    REQUIRE(person.ctl_without_root({"wait", "--timeout", "5m"}).code == 0);
    const auto status = person.ctl_without_root({"status"});
    INFO(status.out << status.err << daemon->log());
    CHECK(status.code == 0);
    CHECK_FALSE(contains(status.out, "group"));
    CHECK_FALSE(contains(status.out, "sudo"));
    CHECK_FALSE(contains(daemon->log(), "addgroup"));
    const auto doctor = person.ctl_without_root({"doctor"});
    INFO(doctor.out << doctor.err);
    CHECK_FALSE(contains(doctor.out, "addgroup"));
    CHECK_FALSE(contains(doctor.out, "adduser"));
    CHECK_FALSE(contains(doctor.out, "sudo systemctl"));
    CHECK_FALSE(contains(doctor.out, "must have"));
    CHECK_FALSE(contains(doctor.out, "sudo shelfctl"));
    CHECK(daemon->stop().code == 0);
}

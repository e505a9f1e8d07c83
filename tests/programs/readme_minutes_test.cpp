// The first ten minutes as README.md says them: typed line by line on a machine without root and without configuration,
// for a service that nothing here was made for. Prints the seconds; what is built is not counted.
#include "newcomer.hpp"
#include "strange_service.hpp"
#include "support/catch.hpp"
#include "support/terminal_process.hpp"

#include <fmt/core.h>

#include <chrono>
#include <filesystem>

using namespace shelfd;
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

// The first command of README.md that begins so, without its comment and without sudo, typed with `means` in place of
// what README.md cannot know.
std::string readme_line(const std::string& beginning, const std::vector<std::pair<std::string, std::string>>& means)
{
    const auto readme = read_file(std::string(SHELFD_SOURCE_DIR) + "/README.md");
    const auto at = readme.find("    " + beginning);
    REQUIRE(at != std::string::npos);
    auto line = readme.substr(at + 4, readme.find('\n', at) - at - 4);
    line = line.substr(0, line.find("  #"));
    for (auto sudo = line.find("sudo "); sudo != std::string::npos; sudo = line.find("sudo ")) {
        line.erase(sudo, 5);
    }
    for (const auto& [from, to] : means) {
        const auto place = line.find(from);
        REQUIRE(place != std::string::npos);
        line.replace(place, from.size(), to);
    }
    return line;
}

// A person's terminal: a shell that finds the programs.
struct Desk {
    Newcomer person;
    std::map<std::string, std::string> environment = person.environment();

    Desk() { environment["PATH"] = fs::path(built_program("shelfctl")).parent_path().string() + ":/usr/bin:/bin"; }
    // What is typed may not run as root: then it would be about this machine.
    std::vector<std::string> shell(const std::string& line) const
    {
        auto argv = Newcomer::without_root();
        argv.insert(argv.end(), {"/bin/sh", "-c", fmt::format("cd {} && {}", person.home.path(), line)});
        return argv;
    }
    Ran run(const std::string& line) const { return run_program(shell(line), environment); }
};

double seconds_since(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

TEST_CASE("README's first minutes: from nothing to a query on data of a service never seen before")
{
    Desk desk;
    if (desk.run("true").code != 0) {
        WARN("skipped: this needs user namespaces");
        return;
    }
    const StrangeService service;
    // With an access token only.
    const auto began_trial = Clock::now();
    TerminalProcess trial(desk.shell(readme_line("shelfctl try ", {{"https://api.example.com", service.url()},
                                                                   {"/api/v2/library/recipes/", "/shop/v7/tickets"}})),
                          desk.environment);
    REQUIRE(trial.shows("not shown"));
    REQUIRE(trial.hides());
    trial.type(std::string(StrangeService::token) + "\n");
    const auto tried = trial.wait(290);
    const auto trial_seconds = seconds_since(began_trial);
    INFO(trial.screen());
    REQUIRE(tried.code == 0);
    CHECK(contains(trial.screen(), "tickets: 137 rows of /shop/v7/tickets, proven complete"));
    CHECK(contains(trial.screen(), "SELECT hall, count(*) AS how_many FROM tickets GROUP BY hall"));

    // With an application and a token set, to stay.
    write_file(desk.person.home / "secret", std::string(StrangeService::client_secret) + "\n");
    write_file(desk.person.home / "set.json", service.first_set());
    const auto began_setup = Clock::now();
    TerminalProcess init(
        desk.shell(readme_line("sudo shelfctl init ", {{"https://example.com", service.url()},
                                                       {" ID ", fmt::format(" {} ", StrangeService::client_id)},
                                                       {"SECRET", "secret"},
                                                       {"SET", "set.json"}}) +
                   " --allow-unsafe"),
        desk.environment);
    // This service has no page that names the library of a token; its document tries the set, and names the lists.
    const bool asks = init.shows("Mirror which lists?", 200);
    INFO(init.screen());
    REQUIRE(asks);
    init.type("all\n");
    const auto set_up = init.wait(200);
    REQUIRE(set_up.code == 0);
    // The command that init names; no systemd runs for this person.
    const auto foreground = "shelfd --config " + desk.person.config_file();
    REQUIRE(contains(init.screen(), "    " + foreground));
    DaemonProcess daemon({{"--config", desk.person.config_file()}, desk.person.home / "log", Newcomer::without_root()});
    daemon.await_ready();
    const auto waited = desk.run(readme_line("sudo shelfctl wait ", {}));
    INFO(waited.out << waited.err << daemon.log());
    REQUIRE(waited.code == 0);
    const auto rows = desk.run(readme_line("sudo shelfctl sql demo \"SELECT * FROM recipes", {{"recipes", "tickets"}}));
    const auto setup_seconds = seconds_since(began_setup);
    INFO(rows.err);
    CHECK(contains(rows.out, "T0000"));
    CHECK(daemon.stop().code == 0);

    CHECK(trial_seconds < 300);
    CHECK(setup_seconds < 300);
    fmt::print("first minutes: try {:.1f} s, init to the first query {:.1f} s\n", trial_seconds, setup_seconds);
}

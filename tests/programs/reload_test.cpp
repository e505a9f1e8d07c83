// A new configuration for a daemon that runs: all of it, or nothing.
#include "site.hpp"
#include "support/catch.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <regex>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

namespace json = boost::json;

json::object status_of(Site& site)
{
    const auto ran = site.ctl({"status", "--json"});
    return json::parse(ran.out).as_object();
}

std::string text_of(const json::value& value)
{
    return std::string(value.as_string());
}

std::vector<std::string> libraries_of(Site& site)
{
    std::vector<std::string> names;
    const auto status = status_of(site);
    for (const auto& library : status.at("libraries").as_array()) {
        names.push_back(text_of(library.as_object().at("name")));
    }
    return names;
}

void slow_down_pages(Site& site, std::chrono::milliseconds delay)
{
    sim::Fault slow;
    slow.path = recipes_path;
    slow.library = "lib01";
    slow.times = std::nullopt;
    slow.delay = delay;
    site.service().world()->faults.add(slow);
}

std::uint64_t pages_of_antwerp(Site& site)
{
    return site.service().world()->audit_report().count("GET", recipes_path, "lib01", 0, 200);
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a broken configuration is refused with its place, and what runs goes on")
{
    Site site;
    auto daemon = site.start_synced();
    const auto before = status_of(site);
    site.write_config(site.config_text({"antwerp", "bruges"}) + "[library.ghent]\nclient_id = 7\nflavour = \"x\"\n");

    const auto refused = site.ctl({"reload"});
    INFO(refused.out << refused.err);
    CHECK(refused.code == 78);
    CHECK(std::regex_search(refused.out + refused.err, std::regex("shelfd\\.toml:[0-9]+:[0-9]+: .*client_id")));
    CHECK(std::regex_search(refused.out + refused.err, std::regex("shelfd\\.toml:[0-9]+:[0-9]+: .*flavour")));
    CHECK(libraries_of(site) == Names{"antwerp"});
    CHECK(status_of(site).at("config_loaded") == before.at("config_loaded"));

    daemon->signal(SIGHUP);
    daemon->await("the refusal is logged", [&] { return daemon->log().find("reload refused") != std::string::npos; });
    CHECK(daemon->told("RELOADING=1"));
    CHECK(libraries_of(site) == Names{"antwerp"});
    site.ctl_done({"sync", "antwerp"});
    CHECK(daemon->stop().code == 0);
}

TEST_CASE("a reload adds a library and leaves the pass of another alone")
{
    Site site({.world = {.rows_of = {{"library/recipes", 1000}}}});
    auto daemon = site.start_synced();
    site.service().world()->reset_audit();
    slow_down_pages(site, 300ms);  // longer than a reload takes on a busy machine
    const auto pass = site.begin_ctl({"sync", "antwerp"});
    daemon->await("two pages have come", [&] { return pages_of_antwerp(site) >= 2; });

    site.write_config(site.config_text({"antwerp", "bruges"}));
    const auto said = site.ctl_done({"reload"});
    CHECK(said.find("bruges") != std::string::npos);
    CHECK(pass->running());
    CHECK(libraries_of(site) == Names{"antwerp", "bruges"});
    CHECK(site.sql("SELECT count(*) FROM recipes", "bruges") == "0");
    site.import_set("bruges");
    site.ctl_done({"wait", "bruges", "--timeout", "5m"});
    CHECK(site.sql("SELECT count(*) FROM recipes", "bruges") == "1000");

    CHECK(pass->wait() == 0);
    // Ten pages and the closing look at the first: it was one pass, from its beginning to its end.
    CHECK(pages_of_antwerp(site) == 11);
    CHECK(site.service().world()->audit_report().token_posts == 1);  // the sealing of bruges' set
}

TEST_CASE("SIGHUP reloads what shelfctl reload would, and a library that is gone keeps its files")
{
    Site site({.libraries = {"antwerp", "bruges"}});
    auto daemon = site.start_synced();
    site.write_config(site.config_text({"bruges"}));
    daemon->signal(SIGHUP);
    daemon->await("the reload", [&] { return daemon->log().find("configuration reloaded") != std::string::npos; });
    CHECK(libraries_of(site) == Names{"bruges"});
    CHECK(site.sql("SELECT count(*) FROM recipes", "antwerp") == "100");

    // Back again, with the set it had.
    site.service().world()->reset_audit();
    site.write_config(site.config_text({"antwerp", "bruges"}));
    site.ctl_done({"reload"});
    site.ctl_done({"sync", "antwerp"});
    CHECK(site.service().world()->audit_report().token_posts == 0);
}

TEST_CASE("when one library of a new configuration cannot be opened, none of it takes effect")
{
    Site site;
    auto daemon = site.start_synced();
    // bruges' mirror cannot be made, and antwerp has changed.
    write_file(site.directory() / "mirrors/bruges", "in the way");
    auto text = site.config_text({"antwerp", "bruges"});
    const std::string path = "[resource.recipes]";
    text.insert(text.find(path), "[resource.outlets]\npath = \"/api/v2/inventory/outlets/\"\n\n");
    site.write_config(text);

    const auto refused = site.ctl({"reload"});
    INFO(refused.out << refused.err);
    CHECK(refused.code != 0);
    CHECK((refused.out + refused.err).find("bruges") != std::string::npos);
    CHECK(libraries_of(site) == Names{"antwerp"});
    const auto status = status_of(site);
    std::size_t living = 0;
    for (const auto& resource : status.at("libraries").as_array().front().as_object().at("resources").as_array()) {
        living += resource.as_object().at("state") == "retired" ? 0 : 1;
    }
    CHECK(living == 1);
    site.ctl_done({"sync", "antwerp"});
    CHECK(site.service().world()->audit_report().reuses_of_spent == 0);
}

TEST_CASE("a library that a refused reload could not open again is told, and comes back when it can be opened")
{
    Site site;
    auto daemon = site.start_synced();
    // Neither the new nor the old configuration can have its directory.
    const auto directory = site.directory() / "mirrors/antwerp";
    const auto kept = site.directory() / "mirrors/kept";
    std::filesystem::rename(directory, kept);
    write_file(directory, "in the way");
    auto text = site.config_text({"antwerp"});
    const std::string path = "[resource.recipes]";
    text.insert(text.find(path), "[resource.outlets]\npath = \"/api/v2/inventory/outlets/\"\n\n");
    site.write_config(text);
    const auto refused = site.ctl({"reload"});
    INFO(refused.err);
    CHECK(refused.code != 0);
    CHECK(refused.err.find("not running now: antwerp, which the daemon tries to open again every 20 s") !=
          std::string::npos);
    CHECK(refused.err.find("the running configuration stays in use; correct that, then: shelfctl reload") !=
          std::string::npos);

    const auto ran = site.ctl({"status"});
    INFO(ran.out << ran.err);
    CHECK(ran.code == 2);
    CHECK(ran.out.find("antwerp: not running, since ") != std::string::npos);
    CHECK(libraries_of(site).empty());
    for (const auto& words : {std::vector<std::string>{"status", "antwerp"},
                              {"sync", "antwerp"},
                              {"wait", "antwerp"},
                              {"auth", "token", "antwerp"}}) {
        const auto told = site.ctl(words);
        CHECK(told.code == 2);
        CHECK(told.err.find("antwerp is configured but not running; shelfctl status shows why") != std::string::npos);
    }
    std::filesystem::remove(directory);
    std::filesystem::rename(kept, directory);
    daemon->await("antwerp runs again", [&] { return libraries_of(site) == Names{"antwerp"}; });
    const auto after = site.ctl({"status"});
    CHECK(after.code == 1);  // the refused reload still asks for an act
    CHECK(after.out.find("not running") == std::string::npos);
    CHECK(site.ctl({"reload"}).code == 0);
    CHECK(site.ctl({"status"}).code != 2);
    CHECK(site.service().world()->audit_report().reuses_of_spent == 0);
}

TEST_CASE("storage and control socket cannot change under a running daemon, and the refusal says so")
{
    Site site;
    auto daemon = site.start_synced();
    auto text = site.config_text({"antwerp"});
    text.replace(text.find(site.socket()), site.socket().size(), site.directory() / "other.sock");
    const auto socket = site.socket();
    site.write_config(text);
    const auto refused = site.ctl({"reload", "--socket", socket});
    INFO(refused.out << refused.err);
    CHECK(refused.code == 78);
    const std::regex place(
        "shelfd\\.toml:[0-9]+:[0-9]+: control\\.socket cannot change while the daemon runs \\(it uses \"" + socket);
    CHECK(std::regex_search(refused.out + refused.err, place));
    const auto notice = site.ctl({"status", "--socket", socket});
    CHECK(notice.out.find("the last reload was refused") != std::string::npos);
    CHECK(notice.out.find("do this: correct it (shelfctl config check reports every fault), then: shelfctl reload") !=
          std::string::npos);
    CHECK(daemon->log().find("reload refused") != std::string::npos);
    CHECK(site.ctl({"status", "--socket", socket}).code == 1);
}

TEST_CASE("[log] changes by a reload, and the reload says so")
{
    Site site;
    auto daemon = site.start_ready();
    auto text = site.config_text({"antwerp"});
    const std::string format = "format = \"json\"", level = "level  = \"debug\"";
    text.replace(text.find(format), format.size(), "format = \"text\"");
    text.replace(text.find(level), level.size(), "level = \"warning\"");
    site.write_config(text);
    const auto said = site.ctl_done({"reload"});
    CHECK(said == "log.format is \"text\" now\nlog.level is \"warning\" now\n");
    const auto before = daemon->log().size();
    site.write_config("nonsense");
    CHECK(site.ctl({"reload", "--socket", site.socket()}).code == 78);
    const auto lines = daemon->log().substr(before);
    INFO(lines);
    CHECK(std::regex_search(lines, std::regex("^[0-9T:.-]+Z error reload refused")));
}

TEST_CASE("a daemon whose standard error nobody reads serves on")
{
    Site site;
    const auto fifo = site.directory() / "stuck";
    REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
    const int reader = open(fifo.c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(fcntl(reader, F_SETPIPE_SZ, 4096) >= 4096);
    auto daemon = site.start({}, {"/bin/sh", "-c", "exec \"$@\" 2>" + fifo, "sh"});
    daemon->await_ready();
    site.import_set();
    for (int i = 0; i < 20; ++i) {
        site.ctl_done({"sync", "antwerp"});
    }
    CHECK(site.ctl({"status"}).code == 0);
    CHECK(daemon->stop().code == 0);
    close(reader);
}

TEST_CASE("a client secret that is corrected in its file is used at the next reload, at once")
{
    Site site;
    auto daemon = site.start_ready();
    const auto file = site.directory() / "secrets/antwerp";
    const auto right = read_file(file);
    write_file(file, "wrong", 0600);
    const auto refused = site.ctl({"auth", "import", "antwerp"}, site.token_response());
    INFO(refused.out << refused.err << daemon->log());
    daemon->await("the refresh is refused",
                  [&] { return daemon->log().find("a refresh did not give a new token set") != std::string::npos; });
    write_file(file, right, 0600);
    const auto said = site.ctl_done({"reload"});
    CHECK(said.find("library antwerp: the waiting refresh is tried now, with the client secret as it is now") !=
          std::string::npos);
    daemon->await("the refresh",
                  [&] { return daemon->log().find("the token set was refreshed") != std::string::npos; });
    CHECK(site.ctl({"auth", "status", "antwerp"}).code == 0);
}

TEST_CASE("a client secret that is corrected in its file is used by a sync, without a reload")
{
    Site site;
    auto daemon = site.start_synced();
    const auto file = site.directory() / "secrets/antwerp";
    const auto right = read_file(file);
    write_file(file, "wrong", 0600);
    site.service().world()->expire_access("lib01");
    CHECK(site.ctl({"sync", "antwerp", "--timeout", "20s"}).code == 2);
    CHECK(site.ctl({"auth", "status", "antwerp"}).code == 2);
    write_file(file, right, 0600);
    // A person's next attempt is made ten seconds after the last one.
    daemon->await("the refresh", [&] { return site.ctl({"sync", "antwerp", "--timeout", "1m"}).code == 0; });
}

TEST_CASE("a token journal whose disk was replaced is written again at the next reload")
{
    Site site;
    auto daemon = site.start_synced();
    const auto journal = site.directory() / "tokens/antwerp/journal.b";
    REQUIRE(std::filesystem::remove(journal));
    site.ctl_done({"reload"});
    daemon->await("the second copy", [&] { return std::filesystem::exists(journal); });
    CHECK(site.ctl({"auth", "status", "antwerp"}).code == 0);
}

TEST_CASE("a reload that adds a scope which the token set lacks says so, and whom to ask")
{
    Site site;
    auto daemon = site.start_synced();
    const auto config = read_file(site.config_file());
    site.write_config(config + "[library.antwerp.resource.recipes]\nneeds = \"payroll\"\n");
    const auto said = site.ctl_done({"reload"});
    INFO(said);
    CHECK(said.find("the token set of antwerp lacks the scope payroll, so recipes cannot be synced: ask the owner of "
                    "antwerp for a token set with the scope payroll (shelfctl auth ask antwerp") != std::string::npos);
    // What is known is not said again with every other change.
    CHECK(site.ctl_done({"reload"}).find("lacks the scope") == std::string::npos);
}

TEST_CASE("a reload says what changes and what it costs in requests, and a dry run only says it")
{
    Site site;
    auto daemon = site.start_synced();
    const auto config = read_file(site.config_file());
    site.write_config(
        config + "[library.antwerp.resource.recipes]\nevery = \"5m\"\n" +
        "[library.ghent]\nclient_id = \"g\"\nclient_secret = { command = [\"/bin/true\"] }\npaused = true\n");
    const std::regex faster("~ antwerp\\.recipes every \"1h\" → \"5m\": \\+[0-9]+ requests/h\n");
    const auto dry = site.ctl_done({"reload", "--dry-run"});
    CHECK(std::regex_search(dry, faster));
    CHECK(dry.find("+ library ghent\n") != std::string::npos);
    CHECK(dry.find("nothing was changed") != std::string::npos);
    CHECK(libraries_of(site) == Names{"antwerp"});

    const auto lines = json::parse(site.ctl_done({"reload", "--dry-run", "--json"})).as_object();
    CHECK(lines.at("differences").as_array().size() == 2);
    const auto said = site.ctl_done({"reload"});
    CHECK(std::regex_search(said, faster));
    CHECK(said.find("+ library ghent\n") != std::string::npos);
    CHECK(libraries_of(site) == Names{"antwerp", "ghent"});
    CHECK(site.ctl_done({"reload", "--dry-run"}) == "nothing would change\n");
    // Who may reload but not read the configuration is not told that nothing would change.
    const auto elsewhere = site.config_file() + ".absent";
    auto typed = std::vector<std::string>{
        built_program("shelfctl"), "reload", "--dry-run", "--config", elsewhere, "--socket", site.socket()};
    const auto hidden = run_program(typed, clean_environment()).out;
    CHECK(hidden.find("what would change cannot be shown: " + elsewhere) != std::string::npos);
    CHECK(hidden.find("nothing would change") == std::string::npos);
    typed.emplace_back("--json");
    const auto values = json::parse(run_program(typed, clean_environment()).out);
    CHECK(values.at("differences").is_null());

    site.write_config(config);
    CHECK(site.ctl_done({"reload"}).find("- library ghent; its stored data stays on disk\n") != std::string::npos);
    site.write_config("nonsense");
    CHECK(site.ctl({"reload", "--dry-run", "--socket", site.socket()}).code == 78);
    // What only the running daemon can know.
    auto moved = config;
    moved.replace(moved.find("/tokens\""), 8, "/elsewhere\"");
    site.write_config(moved);
    const auto refused = site.ctl({"reload", "--dry-run"});
    CHECK(refused.code == 78);
    CHECK(refused.err.find("restart the daemon") != std::string::npos);
    CHECK(daemon->log().find("reload refused") == std::string::npos);
}

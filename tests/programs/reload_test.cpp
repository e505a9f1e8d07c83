// A new configuration for a daemon that runs: all of it, or nothing.
#include "site.hpp"
#include "support/catch.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <chrono>
#include <csignal>
#include <regex>

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
    slow_down_pages(site, 50ms);
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
    CHECK((refused.out + refused.err).find("[control]") != std::string::npos);
    CHECK(site.ctl({"status", "--socket", socket}).code == 0);
}

// The life of a library with real programs: added, renamed, paused, forgotten.
#include "ctl/daemon/client.hpp"
#include "site.hpp"
#include "storage/file_lock.hpp"
#include "support/catch.hpp"
#include "support/long_form.hpp"
#include "support/plain_get.hpp"
#include "support/terminal_process.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

using namespace shelfd;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to)
{
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
    return text;
}

bool holds(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

json::object status_of(Site& site)
{
    return json::parse(site.ctl({"status", "--json"}).out).as_object();
}

std::set<std::string> libraries_of(Site& site)
{
    std::set<std::string> names;
    const auto status = status_of(site);
    for (const auto& library : status.at("libraries").as_array()) {
        names.emplace(library.as_object().at("name").as_string());
    }
    return names;
}

std::uint64_t pages_read(Site& site)
{
    return site.service().audit_report().count("GET", recipes_path);
}

// How many reloads that verb of shelfctl has asked the daemon for, by its log; "" = any verb.
std::size_t reloads_asked_by(Site& site, const std::string& verb)
{
    const auto field = verb.empty() ? "" : "\"verb\":\"" + verb + "\"}";
    std::istringstream lines(site.last_log());
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line);) {
        count += holds(line, "control: reload requested") && line.ends_with(field) ? 1 : 0;
    }
    return count;
}

// The refresh token of the service's newest set is the one that is stored: asked for without reading journals.
std::string token_state(Site& site, const std::string& library)
{
    const auto status = status_of(site);
    for (const auto& one : status.at("libraries").as_array()) {
        if (one.as_object().at("name").as_string() == library) {
            return std::string(one.as_object().at("token").as_object().at("state").as_string());
        }
    }
    return "";
}

}  // namespace

TEST_CASE("a renamed library keeps its token set, its rows and its runs, and nothing is refreshed or fetched for that")
{
    Site site;
    // Without a limit there is no request log.
    site.write_config(replaced(read_file(site.config_file()), "\"none\"", "\"90000/min\""));
    auto daemon = site.start_synced();
    const auto runs = site.sql("SELECT count(*) FROM _runs");
    const auto feed = site.sql("SELECT value FROM _meta WHERE key = 'feed'");
    site.service().world()->reset_audit();

    const auto said = site.ctl_done({"library", "rename", "antwerp", "antwerpen"});
    CHECK(holds(said, "antwerp was renamed to antwerpen"));
    CHECK(libraries_of(site) == std::set<std::string>{"antwerpen"});
    CHECK(token_state(site, "antwerpen") == "good");
    CHECK(site.sql("SELECT count(*) FROM recipes", "antwerpen") == "100");
    CHECK(site.sql("SELECT count(*) FROM _runs", "antwerpen") == std::to_string(std::stoi(runs) + 1));  // the rename
    CHECK(site.sql("SELECT value FROM _meta WHERE key = 'feed'", "antwerpen") == feed);
    CHECK(site.sql("SELECT value FROM _meta WHERE key = 'library'", "antwerpen") == "antwerpen");
    CHECK_FALSE(fs::exists(site.directory() / "mirrors/antwerp"));
    CHECK_FALSE(fs::exists(site.directory() / "tokens/antwerp"));
    CHECK_FALSE(fs::exists(site.directory() / "mirrors/.requests/antwerp"));
    CHECK(fs::exists(site.directory() / "mirrors/.requests/antwerpen"));
    CHECK(holds(read_file(site.config_file()), "[library.antwerpen]\nformerly = \"antwerp\"\n"));
    CHECK(site.service().audit_report().token_posts == 0);
    CHECK(pages_read(site) == 0);

    // A start finds the set as its own: no copy, no person is needed, and it works.
    CHECK(daemon->stop().code == 0);
    daemon = site.start_ready();
    CHECK(token_state(site, "antwerpen") == "good");
    site.ctl_done({"sync", "antwerpen"});
    CHECK(site.service().audit_report().token_posts == 0);
    CHECK(daemon->stop().code == 0);
}

TEST_CASE("a library that was renamed by hand is told, and the verb that is named then mends it")
{
    Site site;
    auto daemon = site.start_synced();
    site.write_config(replaced(read_file(site.config_file()), "[library.antwerp]", "[library.antwerpen]"));
    site.service().world()->reset_audit();
    const std::string told = "antwerp is no longer configured; its token set and its mirror are kept";
    // Before it is so, a dry run says it, as people and as programs read it; and changes nothing.
    const auto dry = site.ctl_done({"reload", "--dry-run"});
    CHECK(holds(dry, "warning: " + told));
    CHECK(holds(dry, "shelfctl library rename antwerp antwerpen"));
    CHECK(holds(dry, "nothing was changed"));
    const auto warnings = json::parse(site.ctl_done({"reload", "--dry-run", "--json"})).as_object().at("warnings");
    REQUIRE(warnings.as_array().size() == 1);
    CHECK(holds(std::string(warnings.as_array().front().as_string()), told));
    CHECK(libraries_of(site) == std::set<std::string>{"antwerp"});
    CHECK(site.sql("SELECT state FROM freshness", "antwerp") == "fresh");
    const auto reload = site.ctl_done({"reload"});
    CHECK(holds(reload, told));
    CHECK(holds(reload, "shelfctl library rename antwerp antwerpen"));
    const auto status = site.ctl({"status"});
    CHECK(holds(status.out, told));
    CHECK(holds(status.out, "renamed? shelfctl library rename antwerp antwerpen"));
    // Beside it, nobody is sent to the owner before that is answered.
    CHECK(holds(status.out,
                "if antwerp is its former name: shelfctl library rename antwerp antwerpen; otherwise: ask the"));
    CHECK(holds(site.ctl({"status", "antwerpen", "--json"}).out, "if antwerp is its former name"));
    CHECK(holds(site.ctl({"config", "check"}).err, "antwerp is no longer configured"));
    CHECK(site.sql("SELECT state FROM freshness", "antwerp") == "retired");

    site.ctl_done({"library", "rename", "antwerp", "antwerpen"});
    CHECK(token_state(site, "antwerpen") == "good");
    CHECK(site.sql("SELECT count(*) FROM recipes", "antwerpen") == "100");
    CHECK(site.sql("SELECT state FROM freshness", "antwerpen") == "fresh");
    CHECK_FALSE(holds(site.ctl({"status"}).out, "no longer configured"));
    CHECK(site.service().audit_report().token_posts == 0);
    CHECK(pages_read(site) == 0);
}

TEST_CASE("two libraries exchange their names, by a third one, without an editor")
{
    Site site({.libraries = {"antwerp", "bruges"}});
    auto daemon = site.start_synced();
    const auto id_of = [&site](const std::string& library) {
        return site.sql("SELECT value FROM _meta WHERE key = 'library_id'", library);
    };
    const auto antwerp = id_of("antwerp");
    const auto bruges = id_of("bruges");
    REQUIRE(antwerp != bruges);
    site.service().world()->reset_audit();
    site.ctl_done({"library", "rename", "antwerp", "middle"});
    site.ctl_done({"library", "rename", "bruges", "antwerp"});
    site.ctl_done({"library", "rename", "middle", "bruges"});
    CHECK(libraries_of(site) == std::set<std::string>{"antwerp", "bruges"});
    CHECK(id_of("antwerp") == bruges);
    CHECK(id_of("bruges") == antwerp);
    for (const auto* library : {"antwerp", "bruges"}) {
        INFO(library);
        CHECK(token_state(site, library) == "good");
        site.ctl_done({"sync", library});
    }
    CHECK_FALSE(holds(site.ctl({"status"}).out, "no longer configured"));
    CHECK(site.service().audit_report().token_posts == 0);
    // A start finds everything there, too.
    CHECK(daemon->stop().code == 0);
    daemon = site.start_ready();
    CHECK(token_state(site, "antwerp") == "good");
    CHECK(token_state(site, "bruges") == "good");
}

TEST_CASE("without a daemon a rename changes the configuration, and the next start does the rest")
{
    Site site;
    CHECK(site.start_synced()->stop().code == 0);
    site.service().world()->reset_audit();
    CHECK(holds(site.ctl_done({"library", "rename", "antwerp", "antwerpen"}), "takes effect when one starts"));
    CHECK(fs::exists(site.directory() / "tokens/antwerp"));
    // Meanwhile, nobody is told that its stored data is left over.
    CHECK_FALSE(holds(site.ctl({"library", "list"}).out, "kept"));
    CHECK_FALSE(holds(site.ctl({"config", "check"}).err, "no longer configured"));
    CHECK_FALSE(holds(site.ctl({"doctor"}).out, "library forget"));
    auto daemon = site.start_ready();
    CHECK(token_state(site, "antwerpen") == "good");
    CHECK(site.sql("SELECT count(*) FROM recipes", "antwerpen") == "100");
    CHECK(site.service().audit_report().token_posts == 0);
}

TEST_CASE("renamed twice while no daemon runs, the library has its set and its rows under the last name")
{
    Site site;
    CHECK(site.start_synced()->stop().code == 0);
    site.service().world()->reset_audit();
    site.ctl_done({"library", "rename", "antwerp", "antwerpen"});
    site.ctl_done({"library", "rename", "antwerpen", "anvers"});
    auto daemon = site.start_ready();
    CHECK(libraries_of(site) == std::set<std::string>{"anvers"});
    CHECK(token_state(site, "anvers") == "good");
    CHECK(site.sql("SELECT count(*) FROM recipes", "anvers") == "100");
    CHECK_FALSE(holds(site.ctl({"status"}).out, "no longer configured"));
    CHECK(site.service().audit_report().token_posts == 0);
    CHECK(pages_read(site) == 0);
    // And once more, after that was done.
    CHECK(daemon->stop().code == 0);
    site.ctl_done({"library", "rename", "anvers", "antwerp"});
    site.ctl_done({"library", "rename", "antwerp", "anvers"});
    site.ctl_done({"library", "rename", "anvers", "antwerpen"});
    daemon = site.start_ready();
    CHECK(token_state(site, "antwerpen") == "good");
    CHECK(site.sql("SELECT count(*) FROM recipes", "antwerpen") == "100");
    CHECK(site.service().audit_report().token_posts == 0);
}

TEST_CASE("a rename that cannot be carried out is an error of the verb, and is completed later")
{
    Site site;
    auto daemon = site.start_synced();
    // Another program has the empty store of the new name.
    fs::create_directory(site.directory() / "tokens/antwerpen");
    fs::permissions(site.directory() / "tokens/antwerpen", fs::perms::owner_all);
    {
        const auto held = must(storage::FileLock::acquire(site.directory() / "tokens/antwerpen/lock"));
        const auto ran = site.ctl({"library", "rename", "antwerp", "antwerpen"});
        INFO(ran.out << ran.err);
        CHECK(ran.code == 2);
        CHECK(holds(ran.err, "the configuration is changed, but antwerpen is not running: the rename from antwerp is "
                             "not complete"));
        CHECK(fs::exists(site.directory() / "tokens/antwerp/journal.a"));
        CHECK(holds(site.ctl({"reload"}).out, "warning: antwerpen is not running: the rename from antwerp"));
    }
    site.ctl_done({"library", "rename", "antwerp", "antwerpen"});
    CHECK(token_state(site, "antwerpen") == "good");
    CHECK(site.sql("SELECT count(*) FROM recipes", "antwerpen") == "100");
}

TEST_CASE("a rename onto a name with a token set of its own changes nothing")
{
    Site site({.libraries = {"antwerp", "bruges"}});
    auto daemon = site.start_synced();
    CHECK(site.ctl({"library", "rename", "antwerp", "bruges"}).code == 64);
    // By hand it is possible to write, and refused as a whole.
    const auto config = site.config_text({"bruges"});
    site.write_config(replaced(config, "[library.bruges]", "[library.bruges]\nformerly = \"antwerp\""));
    const auto refused = site.ctl({"reload"});
    CHECK(refused.code != 0);
    CHECK(holds(refused.err, "bruges cannot take over the stored data of antwerp: that belongs to library "));
    CHECK(libraries_of(site) == std::set<std::string>{"antwerp", "bruges"});
    CHECK(token_state(site, "antwerp") == "good");
    CHECK(token_state(site, "bruges") == "good");
}

TEST_CASE("a paused library fetches nothing until it is resumed, and its comments stay")
{
    Site site;
    auto daemon = site.start_synced();
    site.write_config(replaced(read_file(site.config_file()), "[library.antwerp]", "# ours\n[library.antwerp]  # x"));
    site.ctl_done({"library", "pause", "antwerp"});
    CHECK(holds(read_file(site.config_file()), "# ours\n[library.antwerp]  # x\npaused = true\n"));
    CHECK(site.sql("SELECT state FROM freshness") == "paused");
    const auto listed = json::parse(site.ctl_done({"library", "list", "--json"})).as_object();
    CHECK(listed.at("libraries").as_array().front().as_object().at("state").as_string() == "paused");
    site.ctl_done({"library", "pause", "antwerp"});
    site.ctl_done({"library", "resume", "antwerp"});
    CHECK_FALSE(holds(read_file(site.config_file()), "paused"));
    CHECK(site.sql("SELECT state FROM freshness") == "fresh");
    CHECK(site.ctl({"library", "pause", "ghent"}).code == 64);
}

TEST_CASE("a forgotten library is revoked where that is configured, and leaves nothing but the receipt")
{
    for (const bool has_path : {true, false}) {
        INFO("revocation_path: " << has_path);
        Site site({.service = has_path ? "revocation_path = \"/oauth/revoke_token/\"\n" : "",
                   .libraries = {"antwerp", "bruges"}});
        auto daemon = site.start_synced();
        site.ctl_done({"snapshot", "antwerp"});
        site.service().world()->reset_audit();
        CHECK(site.ctl({"library", "forget", "antwerp"}).code == 64);  // nobody to ask
        CHECK(token_state(site, "antwerp") == "good");

        const auto receipt = json::parse(site.ctl_done({"library", "forget", "antwerp", "--force", "--json"}));
        CHECK(receipt.as_object().at("revoked").as_bool() == has_path);
        CHECK(receipt.as_object().at("removed").as_array().size() ==
              3);  // set, mirror, and the request log, which keeps pauses also without a limit
        CHECK(site.service().view_set("lib01").refresh_lives == !has_path);
        CHECK(site.service().audit_report().count("POST", "/oauth/revoke_token/") == (has_path ? 1 : 0));
        for (const auto* place :
             {"tokens/antwerp", "mirrors/antwerp", "mirrors/.requests/antwerp", "mirrors/.forgotten/antwerp"}) {
            INFO(place);
            CHECK_FALSE(fs::exists(site.directory() / place));
        }
        CHECK_FALSE(holds(read_file(site.config_file()), "antwerp]"));
        CHECK(libraries_of(site) == std::set<std::string>{"bruges"});
        CHECK(site.service().view_set("lib02").refresh_lives);
        CHECK(site.ctl({"library", "forget", "antwerp", "--force"}).code == 64);
        CHECK(holds(daemon->log(), "removal of the library requested"));
    }
}

TEST_CASE("a library that was removed before shelfctl was killed is forgotten with the same receipt")
{
    Site site({.service = "revocation_path = \"/oauth/revoke_token/\"\n", .libraries = {"antwerp", "bruges"}});
    auto daemon = site.start_synced();
    // What shelfctl asks of the daemon before it changes the configuration.
    const auto asked =
        ctl::DaemonClient(site.socket())
            .post("/v1/library/forget", Secret(std::string(R"({"library":"antwerp","without_revocation":false})")));
    CHECK(must(asked).status == 200);
    CHECK_FALSE(site.service().view_set("lib01").refresh_lives);
    for (const bool restarted : {false, true}) {
        INFO("restarted: " << restarted);
        if (restarted) {
            CHECK(daemon->stop().code == 0);
            daemon = site.start_ready();
        }
        const auto again = must(ctl::DaemonClient(site.socket())
                                    .post("/v1/library/forget",
                                          Secret(std::string(R"({"library":"antwerp","without_revocation":false})"))));
        const auto receipt = json::parse(again.body).as_object();
        CHECK(receipt.at("revoked").as_bool());
        CHECK(receipt.at("removed").as_array().size() == 3);
    }
    const auto receipt = site.ctl_done({"library", "forget", "antwerp", "--force"});
    CHECK(holds(receipt, "removed  token set: "));
    CHECK(holds(receipt, "revoked  the token set, at the service"));
    CHECK_FALSE(fs::exists(site.directory() / "mirrors/.forgotten/antwerp"));
    CHECK(site.service().audit_report().count("POST", "/oauth/revoke_token/") == 1);
}

TEST_CASE("a library that cannot be revoked is not forgotten, unless that is not wanted")
{
    Site site({.service = "revocation_path = \"/oauth/revoke_token/\"\n"});
    auto daemon = site.start_synced();
    sim::Fault fault;
    fault.path = "/oauth/revoke_token/";
    fault.acts = false;
    fault.status = 503;
    fault.times = std::nullopt;
    site.service().world()->faults.add(fault);
    const auto refused = site.ctl({"library", "forget", "antwerp", "--force"});
    CHECK(refused.code != 0);
    CHECK(holds(refused.err, "nothing was removed: the token set of antwerp could not be revoked"));
    CHECK(token_state(site, "antwerp") == "good");
    CHECK(site.sql("SELECT count(*) FROM recipes") == "100");
    CHECK(holds(read_file(site.config_file()), "[library.antwerp]"));
    CHECK(holds(site.ctl_done({"library", "forget", "antwerp", "--force", "--no-revoke"}), "not revoked"));
    CHECK_FALSE(fs::exists(site.directory() / "mirrors/antwerp"));
}

TEST_CASE("a note of a removal from a backup harms no set, and a library that does not run is not forgotten unrevoked")
{
    Site site({.service = "revocation_path = \"/oauth/revoke_token/\"\n"});
    CHECK(site.start_synced()->stop().code == 0);
    const auto note = site.directory() / "mirrors/.forgotten/antwerp";
    fs::create_directory(site.directory() / "mirrors/.forgotten");
    write_file(note, "journal 1 2 3\n");
    // It is the only library; the daemon serves, and says what to do.
    auto daemon = site.start_ready();
    const auto status = site.ctl({"status"});
    CHECK(status.code == 2);
    CHECK(holds(status.out, note + " was written for an earlier token set of antwerp"));
    CHECK(holds(status.out, "remove that file, then: shelfctl reload"));
    const auto refused = site.ctl({"library", "forget", "antwerp", "--force"});
    CHECK(refused.code == 2);
    CHECK(holds(refused.err, "nothing was removed: antwerp does not run"));
    CHECK(holds(refused.err, "shelfctl library forget antwerp --no-revoke"));
    CHECK(site.service().view_set("lib01").refresh_lives);
    CHECK(fs::exists(site.directory() / "tokens/antwerp/journal.a"));

    SECTION("the file is removed, and the library runs with its set")
    {
        fs::remove(note);
        site.ctl_done({"reload"});
        CHECK(token_state(site, "antwerp") == "good");
        site.ctl_done({"sync", "antwerp"});
    }
    SECTION("it is wanted all the same")
    {
        const auto receipt = site.ctl_done({"library", "forget", "antwerp", "--force", "--no-revoke"});
        CHECK(holds(receipt, "not revoked at the service: --no-revoke was given"));
        CHECK_FALSE(fs::exists(site.directory() / "tokens/antwerp"));
        CHECK_FALSE(fs::exists(note));
    }
}

TEST_CASE("a library of which only the files are left is forgotten by its name")
{
    Site site({.libraries = {"antwerp", "bruges"}});
    auto daemon = site.start_synced();
    site.write_config(site.config_text({"bruges"}));
    CHECK(holds(site.ctl_done({"reload"}), "antwerp is no longer configured"));
    CHECK(holds(site.ctl_done({"library", "list"}), "kept"));
    const auto receipt = site.ctl_done({"library", "forget", "antwerp", "--force"});
    CHECK(holds(receipt, "mirrors/antwerp"));
    CHECK(holds(receipt, "not revoked at the service: antwerp is not configured any more"));
    CHECK_FALSE(fs::exists(site.directory() / "tokens/antwerp"));
    CHECK_FALSE(fs::exists(site.directory() / "mirrors/.forgotten/antwerp"));
    CHECK_FALSE(holds(site.ctl({"status"}).out, "no longer configured"));
}

namespace {

// [application.a01] … for each customer of the service, and one library to begin with.
std::string config_of_applications(Site& site, std::size_t count)
{
    auto text = site.config_text({});
    for (std::size_t i = 1; i <= count; ++i) {
        const auto name = fmt::format("lib{:02}", i);
        const auto customer = site.service().world()->library(name);
        const auto file = site.directory() / ("secrets/" + name);
        write_file(file, customer.client_secret);
        text += fmt::format("[application.{}]\nclient_id = \"{}\"\nclient_secret = {{ file = \"{}\" }}\n\n", name,
                            customer.client_id, file);
    }
    return text;
}

}  // namespace

TEST_CASE("a library is added with its token set, which is asked about before anything is fetched")
{
    Site site;
    site.write_config(config_of_applications(site, 2));
    auto daemon = site.start_ready();
    const auto id = site.service().world()->library("lib01").id;
    const auto set = paste_of(site.service().view_set("lib01"));

    // Nobody can be asked: the set is here, and the library waits.
    const auto unasked = site.ctl({"library", "add", "antwerp", "--application", "lib01"}, set);
    CHECK(unasked.code == 2);
    CHECK(std::regex_search(unasked.err, std::regex(fmt::format("the token set belongs to library {} '[^']+'", id))));
    CHECK(token_state(site, "antwerp") == "good");
    CHECK(site.sql("SELECT state FROM freshness") == "paused");
    CHECK(pages_read(site) == 0);
    site.ctl_done({"library", "resume", "antwerp"});
    site.ctl_done({"wait", "antwerp", "--timeout", "5m"});
    CHECK(site.sql("SELECT count(*) FROM recipes") == "100");
    const auto file = read_file(site.directory() / "conf.d/antwerp.toml");
    CHECK(holds(file, fmt::format("[library.antwerp]\nlibrary_id = {}\napplication = \"lib01\"\n", id)));
    // It has been confirmed: what was true until then is not said any more.
    CHECK_FALSE(holds(file, "Nothing is fetched until"));

    const auto second = paste_of(site.service().view_set("lib02"));
    const auto agreed = site.ctl_done({"library", "add", "bruges", "--application", "lib02", "--yes"}, second);
    CHECK(holds(agreed, "bruges is being filled with the data of"));
    CHECK(holds(read_file(site.directory() / "conf.d/bruges.toml"),
                fmt::format("library_id = {}\n", site.service().world()->library("lib02").id)));
    CHECK_FALSE(holds(read_file(site.directory() / "conf.d/bruges.toml"), "Nothing is fetched until"));
    site.ctl_done({"wait", "bruges", "--timeout", "5m"});

    CHECK(site.ctl({"library", "add", "ghent"}).code == 64);  // which application?
    CHECK(site.ctl({"library", "add", "ghent", "--application", "none"}).code == 64);
    CHECK(site.ctl({"library", "add", "bruges", "--application", "lib02"}).code == 64);
    CHECK_FALSE(fs::exists(site.directory() / "conf.d/ghent.toml"));
}

namespace {

// shelfctl library add antwerp, typed by a person.
std::vector<std::string> addition(Site& site, const std::vector<std::string>& options = {})
{
    std::vector<std::string> line = {built_program("shelfctl"), "library", "add",      "antwerp",
                                     "--application",           "lib01",   "--config", site.config_file()};
    line.insert(line.end(), options.begin(), options.end());
    return line;
}

}  // namespace

TEST_CASE("whether a set is the right one is asked until the answer is yes or no")
{
    struct Row {
        const char* typed;
        int code;
        const char* end;
    };
    const auto row = GENERATE(Catch::Generators::values<Row>({
        {"YES\n", 0, "is being filled with the data of"},
        {"no\n", 2, "antwerp stays paused"},
        {"\x04", 2, "antwerp stays paused"},  // the end of the input
        {"\x03", 2, "antwerp stays paused"},  // Ctrl-C
    }));
    Site site;
    site.write_config(config_of_applications(site, 1));
    auto daemon = site.start_ready();
    TerminalProcess add(addition(site), clean_environment());
    REQUIRE(add.shows("then an empty line"));
    REQUIRE(add.hides());
    add.type(paste_of(site.service().view_set("lib01")) + "\n\n");
    for (const auto* unknown : {"banana\n", "\n"}) {
        const bool asks = add.shows("Is that right? (yes or no): ");
        INFO(add.screen());
        REQUIRE(asks);
        add.type(unknown);
        REQUIRE(add.shows("type yes or no"));
    }
    REQUIRE(add.shows("Is that right? (yes or no): "));
    add.type(row.typed);
    const auto ended = add.wait();
    INFO(add.screen());
    CHECK(ended.code == row.code);
    CHECK(add.shows(row.end));
}

TEST_CASE("Ctrl-C where library add asks for the set says what is left and how to continue")
{
    Site site;
    site.write_config(config_of_applications(site, 1));
    auto daemon = site.start_ready();
    TerminalProcess add(addition(site), clean_environment());
    REQUIRE(add.shows("then an empty line"));
    REQUIRE(add.hides());
    add.type("\x03");
    const auto ended = add.wait();
    INFO(add.screen());
    CHECK(ended.code == 75);
    CHECK(add.shows("interrupted; no token set was taken, and antwerp stays configured without one; to try again: "
                    "shelfctl auth import antwerp, "
                    "then shelfctl library resume antwerp; to undo the addition:"));
    CHECK(add.shows("shelfctl library forget antwerp"));
    CHECK(add.echoes());
    CHECK(holds(read_file(site.directory() / "conf.d/antwerp.toml"), "paused = true"));
    // As it says.
    site.ctl_done({"auth", "import", "antwerp"}, paste_of(site.service().view_set("lib01")));
    site.ctl_done({"library", "resume", "antwerp"});
    site.ctl_done({"wait", "antwerp", "--timeout", "5m"});
}

TEST_CASE("Ctrl-C at a prompt says in one sentence what was not done")
{
    struct Row {
        std::vector<std::string> words;
        const char* prompt;
        int code;
        const char* end;
    };
    const auto row = GENERATE(Catch::Generators::values<Row>({
        {{"auth", "import", "antwerp"},
         "then an empty line",
         75,
         "interrupted; no token set was taken: that of antwerp, if it has one, is as it was (shelfctl auth status "
         "antwerp); to try again: shelfctl auth import antwerp"},
        {{"auth", "move-in", "antwerp"},
         "then an empty line",
         75,
         "interrupted; no token set was taken: that of antwerp, if it has one, is as it was (shelfctl auth status "
         "antwerp); to try again: shelfctl auth move-in antwerp"},
        {{"auth", "move-in", "--all"},
         "then an empty line",
         75,
         "interrupted; no token set was taken; to try again: shelfctl"},
        {{"auth", "forget", "antwerp"}, "to cancel: ", 75, "interrupted; the token set of antwerp was not changed"},
        {{"library", "forget", "antwerp"}, "to cancel: ", 75, "interrupted; nothing of antwerp was removed"},
        {{"try", "http://127.0.0.1:1", "--path", "/a/"},
         "not shown): ",
         75,
         "interrupted; nothing was requested from the service, and nothing was written"},
    }));
    Site site;
    auto daemon = site.start_synced();
    std::vector<std::string> line = {built_program("shelfctl")};
    line.insert(line.end(), row.words.begin(), row.words.end());
    if (row.words[0] != "try") {
        line.insert(line.end(), {"--config", site.config_file()});
    }
    TerminalProcess asking(line, clean_environment());
    REQUIRE(asking.shows(row.prompt));
    asking.type("\x03");
    const auto ended = asking.wait();
    INFO(asking.screen());
    CHECK(ended.code == row.code);
    CHECK(asking.shows(row.end));
    CHECK(asking.echoes());
    CHECK(token_state(site, "antwerp") == "good");
}

TEST_CASE("Ctrl-C while library add waits for the browser says the same of a login")
{
    Site site;
    const auto redirect_uri = fmt::format("http://127.0.0.1:{}/back/", free_port());
    site.write_config(config_of_applications(site, 1) +
                      fmt::format("redirect_uri = \"{}\"\nscopes = [\"accounts\", \"library\"]\n", redirect_uri));
    site.service().world()->library("lib01").redirect_uris = {redirect_uri};
    auto daemon = site.start_ready();
    TerminalProcess add(addition(site, {"--login"}), clean_environment());
    REQUIRE(add.shows("Waiting for the browser"));
    add.type("\x03");
    const auto ended = add.wait(20);
    INFO(add.screen());
    CHECK(ended.code == 75);
    CHECK(add.shows("interrupted; no token set was taken, and antwerp stays configured without one; to try again: "
                    "shelfctl auth login antwerp, "
                    "then shelfctl library resume antwerp"));
}

namespace {

// Returns while the daemon waits for the answer to the exchange of the set.
void paste_slowly_exchanged(Site& site, TerminalProcess& add)
{
    sim::Fault slow;
    slow.path = "/oauth/token/";
    slow.delay_after = std::chrono::milliseconds(3000);
    site.service().world()->faults.add(slow);
    REQUIRE(add.shows("then an empty line"));
    REQUIRE(add.hides());
    add.type(paste_of(site.service().view_set("lib01")) + "\n\n");
    while (site.service().audit_report().token_posts == 0) {
        REQUIRE_FALSE(add.shows("Right?", 1));
    }
}

}  // namespace

TEST_CASE("Ctrl-C while library add waits for the exchange of the set waits for its answer")
{
    Site site;
    site.write_config(config_of_applications(site, 1));
    auto daemon = site.start_ready();
    TerminalProcess add(addition(site), clean_environment());
    paste_slowly_exchanged(site, add);
    add.type("\x03");
    const auto ended = add.wait();
    INFO(add.screen());
    CHECK(ended.code == 2);
    CHECK(add.shows("interrupted; antwerp has its token set, and stays paused"));
    CHECK(token_state(site, "antwerp") == "good");
}

TEST_CASE("a daemon that is killed while it exchanges an added set leaves no false word about the set")
{
    Site site;
    site.write_config(config_of_applications(site, 1));
    auto daemon = site.start_ready();
    TerminalProcess add(addition(site), clean_environment());
    paste_slowly_exchanged(site, add);
    daemon->kill();
    const auto ended = add.wait();
    INFO(add.screen());
    CHECK(ended.code != 0);
    CHECK(add.shows("antwerp stays configured, and paused until: shelfctl library resume antwerp; whether it has its "
                    "token set is not known, because no daemon says so: once one runs: shelfctl auth status antwerp"));
}

TEST_CASE("without an application, library add says where to write one, and which keys can be moved there")
{
    Site site;
    auto daemon = site.start_ready();
    const auto ran = site.ctl({"library", "add", "ghent", "--no-set"});
    CHECK(ran.code == 64);
    CHECK(holds(ran.err, "write [application.main] with client_id and client_secret in " + site.config_file()));
    CHECK(holds(ran.err, "client_id and client_secret of [library.antwerp] (" + site.config_file()));
}

TEST_CASE("forgetting a library that never had a token set says that there was none")
{
    for (const bool has_path : {true, false}) {
        INFO("revocation_path: " << has_path);
        Site site({.service = has_path ? "revocation_path = \"/oauth/revoke_token/\"\n" : "",
                   .libraries = {"antwerp", "bruges"}});
        auto daemon = site.start_ready();
        const auto receipt = site.ctl_done({"library", "forget", "antwerp", "--force"});
        CHECK(holds(receipt, "removed  token journals, which had no set: "));
        CHECK(holds(receipt, "not revoked at the service: there was no token set\n"));
        CHECK_FALSE(holds(receipt, "remove the token"));
        // And of which only the files are left.
        site.write_config(site.config_text({"antwerp"}));
        site.ctl_done({"reload"});
        const auto left = site.ctl_done({"library", "forget", "bruges", "--force", "--json"});
        CHECK(holds(left, R"("why_not_revoked":"there was no token set")"));
    }
}

TEST_CASE("the receipt of a set that another machine uses does not advise to remove its token")
{
    for (const bool has_path : {true, false}) {
        INFO("revocation_path: " << has_path);
        Site site({.service = has_path ? "revocation_path = \"/oauth/revoke_token/\"\n" : ""});
        auto daemon = site.start_synced();
        site.ctl_done({"auth", "move-out", "antwerp", "--to", "shelf2"});
        const auto receipt = site.ctl_done({"library", "forget", "antwerp", "--force"});
        CHECK(holds(receipt, "not revoked at the service: another machine uses it\n"));
        CHECK_FALSE(holds(receipt, "remove the token"));
        CHECK(site.service().view_set("lib01").refresh_lives);
    }
}

TEST_CASE("a set of another library than --id names is refused, and the library stays without one")
{
    Site site;
    site.write_config(config_of_applications(site, 2));
    auto daemon = site.start_ready();
    const auto other = std::to_string(site.service().world()->library("lib02").id);
    const auto set = paste_of(site.service().view_set("lib01"));
    const auto ran = site.ctl({"library", "add", "antwerp", "--application", "lib01", "--id", other}, set);
    CHECK(ran.code != 0);
    CHECK(holds(ran.err, "no token set was taken, and antwerp stays configured without one"));
    CHECK(token_state(site, "antwerp") == "none");
    // The same command with the right id goes on.
    const auto id = site.service().world()->library("lib01").id;
    const auto added =
        site.ctl_done({"library", "add", "antwerp", "--application", "lib01", "--id", std::to_string(id)}, set);
    CHECK(holds(added, "antwerp is being filled"));
    CHECK(holds(read_file(site.directory() / "conf.d/antwerp.toml"), fmt::format("library_id = {}\n", id)));
    CHECK(token_state(site, "antwerp") == "good");
    // Once it has its set, nothing of it is changed.
    const auto again = site.ctl({"library", "add", "antwerp", "--application", "lib01", "--id", other});
    CHECK(again.code == 64);
    CHECK(holds(again.err, fmt::format("it has library_id = {} there; if that is wrong, correct it", id)));
    const auto bare = site.ctl({"library", "add", "antwerp", "--application", "lib01"});
    CHECK(holds(bare.err, "it has its token set: shelfctl status antwerp"));
}

TEST_CASE("a token set that was kept of a name is not given to another library, nor called missing")
{
    Site site;
    site.write_config(config_of_applications(site, 2));
    auto daemon = site.start_ready();
    const auto id = std::to_string(site.service().world()->library("lib01").id);
    site.ctl_done({"library", "add", "antwerp", "--application", "lib01", "--id", id},
                  paste_of(site.service().view_set("lib01")));
    site.ctl_done({"wait", "antwerp", "--timeout", "5m"});
    const auto file = site.directory() / "conf.d/antwerp.toml";
    const auto forget_configuration = [&] {
        fs::remove(file);
        site.ctl_done({"reload"});
        REQUIRE(libraries_of(site).empty());
    };

    forget_configuration();
    const auto other = std::to_string(site.service().world()->library("lib02").id);
    const auto given = site.ctl({"library", "add", "antwerp", "--application", "lib02", "--id", other},
                                paste_of(site.service().view_set("lib02")));
    CHECK(given.code == 64);
    CHECK(holds(given.err,
                fmt::format("the stored data of antwerp is not known to belong to library {} of the service; the "
                            "configuration is as it was",
                            other)));
    CHECK_FALSE(fs::exists(file));
    CHECK(libraries_of(site).empty());

    const auto taken = site.ctl_done({"library", "add", "antwerp", "--application", "lib01", "--no-set"});
    CHECK(holds(taken, "and has its stored token set"));
    CHECK(token_state(site, "antwerp") == "good");

    forget_configuration();
    const auto refused =
        site.ctl({"library", "add", "antwerp", "--application", "lib01"}, paste_of(site.service().view_set("lib02")));
    CHECK(refused.code != 0);
    CHECK(holds(refused.err, "antwerp stays configured, with its stored token set, and paused until"));
    CHECK(holds(refused.err, "to undo the addition: remove " + file));
    CHECK_FALSE(holds(refused.err, "shelfctl library forget"));
    CHECK(token_state(site, "antwerp") == "good");
    CHECK(site.service().view_set("lib01").refresh_lives);
    CHECK(site.service().audit_report().reuses_of_spent == 0);
}

TEST_CASE("many libraries are added one after the other, each by one reload, and their token sets are kept apart")
{
    const std::size_t count = is_long_form() ? 300 : 12;
    std::vector<std::string> customers;
    for (std::size_t i = 1; i <= count; ++i) {
        customers.push_back(fmt::format("lib{:02}", i));
    }
    Site site({.world = {.rows_of = {{"library/recipes", 3}}}, .libraries = customers});
    site.write_config(config_of_applications(site, count));
    auto daemon = site.start_ready();
    for (const auto& name : customers) {
        const auto id = std::to_string(site.service().world()->library(name).id);
        const auto set = paste_of(site.service().view_set(name));
        site.ctl_done({"library", "add", name, "--application", name, "--id", id}, set);
    }
    CHECK(libraries_of(site).size() == count);
    site.ctl_done({"wait", "--timeout", "10m"});
    std::set<std::string> ids;
    const auto status = status_of(site);
    for (const auto& library : status.at("libraries").as_array()) {
        const auto& one = library.as_object();
        const auto name = std::string(one.at("name").as_string());
        INFO(name);
        CHECK(one.at("token").as_object().at("state").as_string() == "good");
        CHECK(one.at("library_id").as_string() == std::to_string(site.service().world()->library(name).id));
        ids.emplace(one.at("library_id").as_string());
        CHECK(site.service().view_set(name).refresh_lives);
    }
    CHECK(ids.size() == count);
    CHECK(site.service().audit_report().token_posts == count);  // each set was sealed once
    CHECK(reloads_asked_by(site, "") == count);
    CHECK(reloads_asked_by(site, "library add") == count);
}

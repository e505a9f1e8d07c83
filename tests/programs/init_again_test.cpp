// What a person types again: after a set that was pasted badly, and after an init that was killed.
#include "newcomer.hpp"
#include "site.hpp"
#include "support/catch.hpp"
#include "support/terminal_process.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>

using namespace shelfd;

namespace {

namespace fs = std::filesystem;

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

template <typename Condition>
bool becomes_so(const Condition& condition)
{
    const auto began = std::chrono::steady_clock::now();
    while (!condition()) {
        if (std::chrono::steady_clock::now() - began > std::chrono::seconds(60)) {
            return false;
        }
    }
    return true;
}

bool ends_soon(const Newcomer& person)
{
    return becomes_so([&] { return processes_with(person.home.path()) == 0; });
}

}  // namespace

TEST_CASE("a set that was pasted badly is asked for again at the hidden prompt, and at no other")
{
    Site site({.world = {.rows_of = {{"library/recipes", 300}}}});
    Newcomer person;
    TerminalProcess init(init_line(person, site), person.environment());
    REQUIRE(init.shows("Its token set: "));
    init.type("paste\n");
    for (const auto* bad : {"no set at all", R"({"access_token": "cut-off-secret", "refresh)"}) {
        REQUIRE(init.shows("then an empty line"));
        REQUIRE(init.hides());
        init.type(std::string(bad) + "\n\n");
        const bool asks = init.shows("paste another set; Enter alone, or Ctrl-C, ends init");
        INFO(init.screen());
        REQUIRE(asks);
    }
    REQUIRE(init.shows("then an empty line"));
    REQUIRE(init.hides());
    init.type(site.token_response() + "\n\n");
    const bool is_taken = init.shows("Mirror which lists?");
    INFO(init.screen());
    REQUIRE(is_taken);
    CHECK_FALSE(contains(init.screen(), "Path of one list"));
    CHECK_FALSE(contains(init.screen(), "cut-off-secret"));
    init.type("all\n");
    CHECK(init.wait().code == 0);
}

TEST_CASE("init with a wrong client secret says which file to correct before all else, and ends with 2")
{
    Site site({.world = {.rows_of = {{"library/recipes", 300}}}});
    const bool as_json = GENERATE(false, true);
    Newcomer person;
    write_file(person.home / "set.json", site.token_response());
    auto line = person.init_of(site);
    write_file(person.home / "secret", "mistyped-secret\n");
    line.insert(line.end(), {"--non-interactive", "--token-file", person.home / "set.json"});
    if (as_json) {
        line.emplace_back("--json");
    }
    const auto ran = person.ctl(line);
    INFO(ran.out << ran.err);
    CHECK(ran.code == 2);
    const auto file = person.home / ".config/shelfd/secrets/main";
    const auto correction = "correct the client secret in " + file + ", or client_id or base_url in " +
                            person.config_file() +
                            ": the service refuses this application, not the token (HTTP 401, invalid_client)";
    if (as_json) {
        CHECK(contains(ran.out,
                       R"("sealed":false,"warnings":[")" + correction + R"("],"next":[")" + correction + R"(",")"));
    } else {
        CHECK(contains(ran.out, "Next:\n    " + correction + "\n"));
    }
    CHECK_FALSE(contains(person.printed, "mistyped-secret"));
    // What the first line says is enough.
    write_file(file, site.service().world()->library("lib01").client_secret + "\n");
    DaemonProcess daemon({{"--config", person.config_file()}, person.home / "log"});
    daemon.await_ready();
    CHECK(becomes_so([&] { return site.service().view_set("lib01").generation == 2; }));
    INFO(daemon.log());
    CHECK(person.ctl({"wait", "antwerp", "--timeout", "2m"}).code == 0);

    Newcomer other;
    write_file(other.home / "set.json", site.token_response());
    line = other.init_of(site);
    line.insert(line.end(), {"--non-interactive", "--token-file", other.home / "set.json", "--json"});
    const auto good = other.ctl(line);
    INFO(good.out << good.err);
    CHECK(good.code == 0);
    CHECK(contains(good.out, R"("sealed":true,"warnings":[],)"));
}

TEST_CASE("init whose directories cannot be made says so before it asks anything, and leaves none behind")
{
    const TempDirectory place;
    for (const auto* where : {"/dev/null/shelfd", "/proc/shelfd"}) {
        INFO(where);
        TerminalProcess init({built_program("shelfctl"), "--config", std::string(where) + "/shelfd.toml", "init"},
                             {{"HOME", place.path()}, {"PATH", "/usr/bin:/bin"}});
        const auto ended = init.wait();
        INFO(init.screen());
        CHECK(ended.code > 0);
        CHECK(contains(init.screen(), "shelfctl: cannot create "));
        CHECK_FALSE(contains(init.screen(), "shown)"));
        CHECK(std::count(init.screen().begin(), init.screen().end(), '\n') == 1);
    }
    CHECK(std::filesystem::is_empty(place.path()));
}

TEST_CASE("an init that was killed after the set was sealed is repeated with the set that is there")
{
    Site site({.world = {.rows_of = {{"library/recipes", 300}}}});
    Newcomer person;
    write_file(person.home / "set.json", site.token_response());
    auto line = init_line(person, site);
    line.insert(line.end(), {"--token-file", person.home / "set.json"});
    {
        TerminalProcess init(line, person.environment());
        const bool asks = init.shows("Mirror which lists?");
        INFO(init.screen());
        REQUIRE(asks);
        ::kill(init.pid(), SIGKILL);
        CHECK(init.wait().signal == SIGKILL);
    }
    REQUIRE(ends_soon(person));
    CHECK(site.service().view_set("lib01").refresh_lives);
    const auto secret = site.service().world()->library("lib01").client_secret;
    CHECK(person.files_with(secret).size() == 2);  // the person's own, and that of the killed program

    SECTION("the same command")
    {
        line.push_back("--non-interactive");
        const auto again = run_program(line, person.environment());
        INFO(again.out << again.err);
        CHECK(again.code == 0);
        CHECK(contains(again.out, "a token set of antwerp is there already"));
        CHECK(contains(again.out, "/api/v2/library/recipes/: 300 rows"));
    }
    SECTION("without a set, the next commands do not ask for one")
    {
        line.resize(line.size() - 2);
        line.insert(line.end(), {"--non-interactive", "--path", recipes_path});
        const auto again = run_program(line, person.environment());
        INFO(again.out << again.err);
        CHECK(again.code == 0);
        CHECK_FALSE(contains(again.out, "auth login"));
        CHECK(contains(again.out, "wait antwerp"));
    }
    const auto once =
        run_program({built_program("shelfd"), "--config", person.config_file(), "--once"}, person.environment());
    INFO(once.out << once.err);
    CHECK(once.code == 0);
    CHECK(site.service().audit_report().reuses_of_spent == 0);
    // Its own, and that of the configuration: what the killed program had left is gone.
    for (const auto& file : person.files_with(secret)) {
        CHECK_FALSE(contains(file, "shelfd-init-"));
    }
}

TEST_CASE("a service without a page that names the library is set up with one set, and no path is asked for")
{
    Site site({.world = {.rows_of = {{"library/recipes", 300}}}});
    sim::Fault missing;
    missing.path = "/api/v2/accounts/libraries/current/";
    missing.times = std::nullopt;
    missing.acts = false;
    missing.status = 404;
    site.service().world()->faults.add(std::move(missing));
    sim::Fault document;
    document.path = "/openapi.json";
    document.times = std::nullopt;
    document.acts = false;
    document.status = 200;
    document.content_type = "application/json";
    document.body = R"({"openapi": "3.0.1", "paths": {"/api/v2/library/recipes/": {"get": {"summary": "Recipes"}},)"
                    R"("/api/v2/whoami": {"get": {"summary": "The owner of the token"}}}})";
    auto owner = document;
    owner.path = "/api/v2/whoami";
    owner.body = R"({"id": 7, "name": "Ada"})";
    site.service().world()->faults.add(std::move(document));
    site.service().world()->faults.add(std::move(owner));
    Newcomer person;
    write_file(person.home / "set.json", site.token_response());
    auto line = init_line(person, site);
    line.insert(line.end(), {"--token-file", person.home / "set.json", "--non-interactive"});
    const auto ran = run_program(line, person.environment());
    INFO(ran.out << ran.err);
    CHECK(ran.code == 0);
    CHECK_FALSE(contains(ran.err, "identity.path"));
    CHECK_FALSE(contains(ran.err, "--path"));
    CHECK(contains(ran.out, "/api/v2/library/recipes/: 300 rows"));
    CHECK(contains(ran.out, "/api/v2/whoami names whose token it is; if that is the library, write in [service]: "
                            "identity = { path = \"/api/v2/whoami\", field = \"id\" }"));
    CHECK_FALSE(contains(read_file(person.config_file()), "\nidentity"));
    CHECK(site.service().audit_report().reuses_of_spent == 0);
}

TEST_CASE("an init at a service that has none of the usual pages says what to type, and that works")
{
    Site site({.world = {.rows_of = {{"library/recipes", 300}}}});
    // Everything but the list, and where tokens are exchanged.
    for (const auto* path : {"/api/v2/accounts", "/openapi.json", "/api/openapi.json", "/api/schema", "/api/v2/schema",
                             "/swagger", "/api/swagger", "/v3/"}) {
        sim::Fault missing;
        missing.path = path;
        missing.times = std::nullopt;
        missing.acts = false;
        missing.status = 404;
        site.service().world()->faults.add(std::move(missing));
    }
    Newcomer person;
    write_file(person.home / "set.json", site.token_response());
    auto line = init_line(person, site);
    line.insert(line.end(), {"--token-file", person.home / "set.json", "--non-interactive"});
    const auto refused = run_program(line, person.environment());
    INFO(refused.out << refused.err);
    CHECK(refused.code == 1);
    CHECK(contains(refused.err, "nor at another page that services usually have"));
    CHECK(contains(refused.err, "name one of its lists: repeat the command with --path /one/list/"));
    CHECK_FALSE(contains(refused.err, "identity.path"));

    auto wrong = line;
    wrong.insert(wrong.end(), {"--path", "/api/v2/accounts/nothing/"});
    const auto missing = run_program(wrong, person.environment());
    INFO(missing.err);
    CHECK(missing.code == 1);
    CHECK(contains(missing.err, "check --path"));
    CHECK_FALSE(contains(missing.err, "exploring"));

    line.insert(line.end(), {"--path", recipes_path});
    const auto done = run_program(line, person.environment());
    INFO(done.out << done.err);
    CHECK(done.code == 0);
    CHECK(site.service().audit_report().reuses_of_spent == 0);
}

TEST_CASE("an init that fails before the set was imported leaves nothing that it has made, and all that was there")
{
    Site site({.world = {.rows_of = {{"library/recipes", 300}}}});
    Newcomer person;
    write_file(person.home / "set.json", R"({"access_token": "wrong", "refresh_token": "wrong", "expires_in": 3600})");
    auto line = init_line(person, site);
    line.insert(line.end(), {"--token-file", person.home / "set.json", "--non-interactive"});
    const auto fails = [&] {
        const auto ran = run_program(line, person.environment());
        INFO(ran.out << ran.err);
        CHECK(ran.code != 0);
        CHECK(contains(ran.err, "nothing was configured"));
        CHECK_FALSE(fs::exists(person.config_file()));
    };
    fails();
    for (const auto* made : {".config", ".local", "run/shelfd"}) {
        CAPTURE(made);
        CHECK_FALSE(fs::exists(person.home / made));
    }

    // A store that was there, with its lock, and empty directories.
    const auto tokens = person.home / ".local/state/shelfd/tokens";
    fs::create_directories(tokens + "/ghent");
    write_file(tokens + "/ghent/journal.1", "a set");
    fs::create_directories(person.home / ".config/shelfd/conf.d");
    fails();
    CHECK(read_file(tokens + "/ghent/journal.1") == "a set");
    CHECK_FALSE(fs::exists(tokens + "/antwerp"));
    CHECK(fs::exists(person.home / ".config/shelfd/conf.d"));
    CHECK_FALSE(fs::exists(person.home / ".config/shelfd/secrets"));
    CHECK_FALSE(fs::exists(person.home / ".local/state/shelfd/mirrors"));
}

TEST_CASE("the JSON of init says which identity it has written, with a list that was named, too")
{
    Site site({.world = {.rows_of = {{"library/recipes", 300}}}});
    Newcomer person;
    write_file(person.home / "set.json", site.token_response());
    auto line = init_line(person, site);
    line.insert(line.end(),
                {"--token-file", person.home / "set.json", "--non-interactive", "--path", recipes_path, "--json"});
    const auto ran = run_program(line, person.environment());
    INFO(ran.out << ran.err);
    REQUIRE(ran.code == 0);
    const auto written = read_file(person.config_file());
    CHECK(contains(written, R"(identity = { path = "/api/v2/accounts/libraries/current/", field = "id")"));
    CHECK(contains(ran.out, R"("identity":{"path":"/api/v2/accounts/libraries/current/","field":"id","user_field":)"));
    CHECK(contains(ran.out, R"("user_field":null)") == !contains(written, "user_field = "));
}

// The first ten minutes: what a person does who has installed the programs and has a token, and nothing else.
#include "newcomer.hpp"
#include "site.hpp"
#include "strange_service.hpp"
#include "support/catch.hpp"
#include "support/plain_get.hpp"
#include "support/terminal_process.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <filesystem>

#include <unistd.h>

using namespace shelfd;

namespace {

namespace fs = std::filesystem;

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a list of a service never seen before is a table within minutes, with an access token and nothing else")
{
    const StrangeService service;
    Newcomer person;
    const auto began = std::chrono::steady_clock::now();
    const auto ran =
        person.ctl({"try", service.url(), "--path", "/shop/v7/tickets", "--directory", person.home / "trial"},
                   std::string(StrangeService::token) + "\n");
    INFO(ran.out << ran.err);
    REQUIRE(ran.code == 0);
    CHECK(std::chrono::steady_clock::now() - began < std::chrono::minutes(5));
    CHECK(contains(ran.out, "tickets: 137 rows of /shop/v7/tickets, proven complete"));
    // Three queries, with columns that exist, that ran.
    CHECK(contains(ran.out, "SELECT code, "));
    CHECK(contains(ran.out, "SELECT hall, count(*) AS how_many FROM tickets GROUP BY hall"));
    CHECK(contains(ran.out, "max(CAST(price AS REAL)) AS greatest FROM tickets"));
    CHECK(contains(ran.out, "136.5"));
    // The configuration.
    CHECK(contains(ran.out, "[resource.tickets]\npath = \"/shop/v7/tickets\"\n"));
    CHECK(contains(ran.out, "key = \"code\""));

    // The token is nowhere, the daemon has ended, and the mirror is there without it.
    CHECK(person.files_with(StrangeService::token).empty());
    CHECK_FALSE(contains(person.printed, StrangeService::token));
    CHECK(fs::is_empty(person.home / "run"));
    const auto query = person.ctl({"sql", "try", "--csv", "SELECT count(*), sum(paid) FROM tickets", "--config",
                                   person.home / "trial/shelfd.toml"});
    INFO(query.err);
    CHECK(query.out == "count(*),sum(paid)\n137,69\n");

    // Again, as JSON, for another list of the same service.
    const auto json =
        person.ctl({"try", service.url() + "/shop/v7/halls", "--json", "--directory", person.home / "trial"},
                   std::string(StrangeService::token) + "\n");
    INFO(json.out << json.err);
    CHECK(json.code == 0);
    CHECK(json.out.front() == '{');
    CHECK(contains(json.out, R"("table":"halls","rows":3,"listed":3,"since":null,"state":"fresh")"));
    CHECK(contains(json.out, R"("proven":true)"));
    CHECK(contains(json.out, R"("rows":[{)"));
}

TEST_CASE("a trial that cannot succeed says why and leaves no token behind")
{
    const StrangeService service;
    Newcomer person;
    const auto at = [&](const std::string& path, const std::string& token, const std::string& where) {
        return person.ctl({"try", service.url(), "--path", path, "--directory", person.home / where}, token + "\n");
    };
    const auto refused = at("/shop/v7/tickets", "another-token-of-nobody", "a");
    INFO(refused.out << refused.err);
    CHECK(refused.code != 0);
    CHECK(contains(refused.err, "the service refuses the access token"));
    CHECK_FALSE(contains(refused.err, " set "));
    CHECK(person.files_with("another-token-of-nobody").empty());
    const auto nothing = at("/shop/v7/nothing", StrangeService::token, "b");
    INFO(nothing.out << nothing.err);
    CHECK(nothing.code != 0);
    CHECK(contains(nothing.err, "404"));
    CHECK(contains(nothing.err, "--path"));
    CHECK_FALSE(contains(nothing.err, "resource.exploring"));
    const auto query = at("/shop/v7/tickets?sold=1", StrangeService::token, "b");
    CHECK(query.code == 64);
    CHECK(contains(query.err, "the path must not contain a query: try /shop/v7/tickets without it"));
    CHECK(at("/shop/v7/tickets", "", "c").code == 64);
    CHECK(person.ctl({"try", service.url()}, "t\n").code == 64);
    CHECK(contains(person.ctl({"try", "http://example.com", "--path", "/x/"}, "t\n").err, "https"));
    // A directory of somebody else.
    fs::create_directory(person.home / "d");
    write_file(person.home / "d/thesis.txt", "years of work");
    const auto occupied = at("/shop/v7/tickets", StrangeService::token, "d");
    CHECK(occupied.code == 64);
    CHECK(contains(occupied.err, "--directory"));
    CHECK(person.files_with(StrangeService::token).empty());
    CHECK(fs::is_empty(person.home / "run"));
}

TEST_CASE("a trial of a mistyped address or a forbidden list says which, and the right one then works in its place")
{
    const StrangeService service;
    Newcomer person;
    const auto at = [&](const std::string& url, const std::string& path) {
        return person.ctl({"try", url, "--path", path, "--directory", person.home / "trial"},
                          std::string(StrangeService::token) + "\n");
    };
    const auto mistyped = at(fmt::format("http://127.0.0.1:{}", free_port()), "/shop/v7/halls");
    INFO(mistyped.out << mistyped.err);
    CHECK(mistyped.code != 0);
    CHECK(contains(mistyped.err, "refused"));
    CHECK_FALSE(fs::exists(person.home / "trial"));
    const auto forbidden = at(service.url(), StrangeService::forbidden);
    INFO(forbidden.out << forbidden.err);
    CHECK(forbidden.code != 0);
    CHECK(contains(forbidden.err,
                   fmt::format("more scopes (HTTP 403 at {}{}", service.url(), StrangeService::forbidden)));
    CHECK(contains(forbidden.err, ": the token may not request this list)"));
    CHECK_FALSE(fs::exists(person.home / "trial"));
    const auto right = at(service.url(), "/shop/v7/halls");
    INFO(right.out << right.err);
    CHECK(right.code == 0);
    CHECK(contains(right.out, "3 rows"));
    CHECK(person.files_with(StrangeService::token).empty());
}

TEST_CASE("Enter alone at the hidden prompt of try says that the token is needed, and asks again")
{
    const StrangeService service;
    Newcomer person;
    TerminalProcess trial({built_program("shelfctl"), "try", service.url(), "--path", "/shop/v7/halls", "--directory",
                           person.home / "trial"},
                          person.environment());
    REQUIRE(trial.shows("not shown"));
    REQUIRE(trial.hides());
    trial.type("\r");
    const bool is_asked = trial.shows("nothing was given: paste it, then press Enter") && trial.shows("not shown");
    INFO(trial.screen());
    REQUIRE(is_asked);
    REQUIRE(trial.hides());
    trial.type(std::string(StrangeService::token) + "\r");
    CHECK(trial.wait().code == 0);
    CHECK_FALSE(contains(trial.screen(), StrangeService::token));
}

TEST_CASE(
    "a list that init cannot read is named, whether a person named it or it was found, and the others are mirrored")
{
    Site site;
    Newcomer person;
    const auto lists_file = person.home / ".config/shelfd/conf.d/lists.toml";
    write_file(person.home / "set.json", site.token_response());
    auto line = person.init_of(site);
    line.insert(line.end(), {"--non-interactive", "--json", "--token-file", person.home / "set.json"});
    const bool is_given = GENERATE(true, false);
    std::string unreadable = "/api/v2/procurement/orders/";
    if (is_given) {
        unreadable = "/api/v2/nope/";
        line.insert(line.end(), {"--path", "/api/v2/library/recipes/", "--path", unreadable});
    } else {
        sim::Fault forbidden;
        forbidden.path = unreadable;
        forbidden.status = 403;
        forbidden.times = std::nullopt;
        site.service().world()->faults.add(forbidden);
    }
    const auto ran = person.ctl(line);
    INFO(ran.out << ran.err);
    CHECK(ran.code == (is_given ? 1 : 0));
    const auto report = boost::json::parse(ran.out).as_object();
    const auto& warnings = report.at("warnings").as_array();
    REQUIRE(warnings.size() == 1);
    CHECK(contains(std::string(warnings.front().as_string()),
                   unreadable + " is not mirrored, because it cannot be read: "));
    CHECK(contains(std::string(warnings.front().as_string()), is_given ? "404" : "403"));
    CHECK(contains(read_file(lists_file), "path = \"/api/v2/library/recipes/\"\n"));
    CHECK_FALSE(contains(read_file(lists_file), "path = \"" + unreadable));
    CHECK(contains(read_file(lists_file),
                   "# Could not be read: " + unreadable + ". To look again: shelfctl probe LIB " + unreadable));
}

TEST_CASE("the first configuration is written, checked and in effect, without root, and finds the lists by itself")
{
    Site site({.world = {.rows_of = {{"sales/lines", 1500}, {"library/recipes", 300}}}});
    Newcomer person;
    write_file(person.home / "set.json", site.token_response());
    auto line = person.init_of(site);
    line.insert(line.end(), {"--non-interactive", "--token-file", person.home / "set.json"});
    const auto began = std::chrono::steady_clock::now();
    const auto ran = person.ctl(line);
    INFO(ran.out << ran.err);
    REQUIRE(ran.code == 0);
    CHECK(std::chrono::steady_clock::now() - began < std::chrono::minutes(5));
    CHECK(contains(ran.out, "at most 20 requests to find the lists"));
    CHECK(contains(ran.out, "/api/v2/sales/lines/: 1500 rows"));
    CHECK(contains(ran.out, "shelfd --config " + person.config_file()));
    const auto config = person.home / ".config/shelfd";
    const auto lists = read_file(config + "/conf.d/lists.toml");
    CHECK(contains(lists, "[resource.recipes]\npath = \"/api/v2/library/recipes/\"\n"));
    CHECK(contains(lists, "window = { from = \"date__gte\", to = \"date__lt\", field = \"date\""));
    CHECK(contains(read_file(config + "/shelfd.toml"), "identity = { path = \"/api/v2/accounts/libraries/current/\""));
    CHECK(contains(read_file(config + "/conf.d/antwerp.toml"), "[library.antwerp]\napplication = \"main\"\n"));
    CHECK((fs::status(config + "/secrets/main").permissions() & fs::perms::others_all) == fs::perms::none);
    CHECK((fs::status(config + "/secrets/main").permissions() & fs::perms::group_all) == fs::perms::none);
    CHECK_FALSE(contains(person.printed, site.service().world()->library("lib01").client_secret));

    // The daemon runs with it, and it is never overwritten.
    const auto check = person.ctl({"config", "check"});
    INFO(check.out << check.err);
    CHECK(check.code == 0);
    const auto again = person.ctl({"init", site.service().url(), "--non-interactive"});
    CHECK(again.code == 64);
    CHECK(contains(again.err, "is there already"));
    const auto once =
        run_program({built_program("shelfd"), "--config", config + "/shelfd.toml", "--once"}, person.environment());
    INFO(once.out << once.err);
    CHECK(once.code == 0);
    const auto count = person.ctl({"sql", "antwerp", "--csv", "SELECT count(*) FROM recipes"});
    INFO(count.err);
    CHECK(count.out == "count(*)\n300\n");
}

TEST_CASE("an option that is missing is named, and nothing is written")
{
    Newcomer person;
    const auto ran = person.ctl({"init", "https://api.example.com", "--non-interactive", "--client-id", "x"});
    CHECK(ran.code == 64);
    CHECK(contains(ran.err, "--client-secret-file, --library and --path (or --token-file) are missing"));
    CHECK(contains(person.ctl({"init", "https://api.example.com/path", "--non-interactive"}).err, "URL"));
    CHECK_FALSE(fs::exists(person.home / ".config"));
}

TEST_CASE("without a token set, the configuration is written and the next commands are named")
{
    Newcomer person;
    write_file(person.home / "secret", "hidden-client-secret\n");
    const auto ran =
        person.ctl({"init", "https://api.example.com", "--non-interactive", "--client-id", "x", "--client-secret-file",
                    person.home / "secret", "--library", "antwerp", "--path", "/api/v2/library/recipes/", "--json"});
    INFO(ran.out << ran.err);
    CHECK(ran.code == 0);
    CHECK(contains(ran.out, "auth import antwerp"));
    CHECK(contains(ran.out, R"("library":"antwerp")"));
    CHECK(person.files_with("hidden-client-secret") ==
          std::vector<std::string>{person.home / "secret", person.home / ".config/shelfd/secrets/main"});
    CHECK(person.ctl({"config", "check"}).code == 0);
}

TEST_CASE("probe finds what a service has, says before how many requests it sends, and its blocks work")
{
    Site site({.world = {.rows_of = {{"sales/lines", 1500}}}});
    auto daemon = site.start_synced();
    site.service().world()->reset_audit();
    const auto found = site.ctl_done({"probe", "antwerp"});
    INFO(found);
    CHECK(contains(found, "# at most 20 requests to find the lists\n"));
    CHECK(contains(found, "mirrored as recipes"));
    CHECK(contains(found, "/api/v2/sales/lines/"));
    CHECK(contains(found, "shelfctl probe antwerp --all"));
    CHECK(site.service().world()->audit_report().total <= 20 + 80);
    const auto sales = site.ctl_done({"probe", "antwerp", "/api/v2/sales/lines/"});
    INFO(sales);
    CHECK(contains(sales, "windows: date__gte and date__lt select rows by date; the oldest row is "));
    CHECK(contains(sales, "text: net holds decimals"));
    const auto lines = site.ctl({"probe", "antwerp", "--json"});
    CHECK(contains(lines.out, R"("event":"plan")"));
    CHECK(contains(lines.out, R"("verdict":"list")"));
}

TEST_CASE("Ctrl-C at any prompt of init ends it at once, with its daemon, and without a trace")
{
    Site site;
    Newcomer person;
    struct Row {
        const char* way;
        const char* prompt;
    };
    // The first prompt is shown before a daemon runs, the others while it waits.
    for (const auto& [way, prompt] : {Row{nullptr, "Its token set: "}, Row{"paste\n", "then an empty line"},
                                      Row{"login\nlibrary\n", "address of the page that shows it"}}) {
        CAPTURE(prompt);
        TerminalProcess init(init_line(person, site), person.environment());
        if (way != nullptr) {
            REQUIRE(init.shows("Its token set: "));
            init.type(way);
        }
        const bool asks = init.shows(prompt);
        INFO(init.screen());
        REQUIRE(asks);
        init.type("\x03");
        const auto ended = init.wait(20);
        INFO(init.screen());
        CHECK((ended.signal == SIGINT || ended.code > 0));
        if (way != nullptr) {
            CHECK(init.shows("interrupted; nothing was configured"));
            CHECK_FALSE(contains(init.screen(), "no daemon"));
        }
        CHECK_FALSE(fs::exists(person.config_file()));
        CHECK(person.files_with(site.service().world()->library("lib01").client_secret) ==
              std::vector<std::string>{person.home / "secret"});
        CHECK(processes_with(person.home.path()) == 0);
    }
}

TEST_CASE("the set of a login is used by init, also where no page names the library of a token")
{
    Site site;
    Newcomer person;
    auto& world = *site.service().world();
    world.consent = sim::Consent::automatic;
    sim::Fault nowhere;
    nowhere.path = "/api/v2/accounts/libraries/current";
    nowhere.status = 404;
    nowhere.acts = false;
    nowhere.times = std::nullopt;
    world.faults.add(nowhere);
    TerminalProcess init(init_line(person, site), person.environment());
    REQUIRE(init.shows("Its token set: "));
    init.type("login\nlibrary\n");
    const bool asks = init.shows("Paste the code, or ");
    INFO(init.screen());
    REQUIRE(asks);
    const auto begin = init.screen().find("http://127.0.0.1:");
    const auto address = init.screen().substr(begin, init.screen().find_first_of("\r\n", begin) - begin);
    const std::string name = "redirect_uri=";
    const auto place = address.find(name) + name.size();
    auto redirect_uri = address.substr(place, address.find('&', place) - place);
    for (const auto& [coded, plain] : {std::pair("%3A", ":"), std::pair("%2F", "/")}) {
        for (auto at = redirect_uri.find(coded); at != std::string::npos; at = redirect_uri.find(coded)) {
            redirect_uri.replace(at, 3, plain);
        }
    }
    world.library("lib01").redirect_uris = {redirect_uri};
    const auto back = header_of(plain_get(address), "Location");
    REQUIRE(back.find("code=") != std::string::npos);
    init.type(back + "\n");
    const bool asks_for_list = init.shows("Path of one list of the service");
    INFO(init.screen());
    REQUIRE(asks_for_list);
    init.type("/api/v2/library/recipes/\n");
    const bool goes_on = init.shows("Mirror which lists?");
    INFO(init.screen());
    REQUIRE(goes_on);
    init.type("\x03");
    CHECK(init.wait(30).code > 0);
    CHECK(contains(init.screen(), "the token set works: /api/v2/library/recipes/ answers"));
    CHECK(contains(init.screen(), "interrupted; the token set is imported"));
    CHECK(world.audit_report().exchanges == 1);
    CHECK(world.audit_report().refreshes == 0);
}

TEST_CASE("after a code that the service refuses, init asks for another login, and Ctrl-C there leaves nothing behind")
{
    Site site;
    Newcomer person;
    TerminalProcess init(init_line(person, site), person.environment());
    REQUIRE(init.shows("Its token set: "));
    init.type("login\nlibrary\n");
    REQUIRE(init.shows("Paste the code, or "));
    init.type("https://app.example.com/back/?code=abc&state=of-another-login\n");
    REQUIRE(init.shows("this address belongs to another login"));
    REQUIRE(init.shows("Paste the code, or "));
    init.type("a-code-that-nobody-gave\n");
    const bool asks = init.shows("log in once more, with the address printed next; Ctrl-C ends init");
    INFO(init.screen());
    REQUIRE(asks);
    REQUIRE(init.shows("Open this address in a browser"));
    REQUIRE(init.shows("Paste the code, or "));
    init.type("\x03");
    CHECK(init.wait(30).code > 0);
    CHECK(contains(init.screen(), "valid for one minute, works once"));
    CHECK_FALSE(contains(init.screen(), "shelfctl auth login"));
    CHECK(contains(init.screen(), "interrupted; nothing was configured"));
    CHECK_FALSE(fs::exists(person.config_file()));
}

TEST_CASE("Ctrl-C after the token set was imported leaves a configuration that can use it")
{
    Site site({.world = {.rows_of = {{"library/recipes", 300}}}});
    Newcomer person;
    write_file(person.home / "set.json", site.token_response());
    auto line = init_line(person, site);
    line.insert(line.end(), {"--token-file", person.home / "set.json"});
    TerminalProcess init(line, person.environment());
    const bool asks = init.shows("Mirror which lists?");
    INFO(init.screen());
    REQUIRE(asks);
    init.type("\x03");
    const auto ended = init.wait(30);
    INFO(init.screen());
    CHECK(ended.code > 0);
    CHECK(contains(init.screen(), "interrupted; the token set is imported"));
    CHECK(contains(read_file(person.home / ".config/shelfd/conf.d/antwerp.toml"), "paused = true"));
    CHECK(person.ctl({"config", "check"}).code == 0);
    CHECK(fs::is_empty(person.home / "run/shelfd"));
}

TEST_CASE("Ctrl-C while a token set is exchanged waits for its answer, and leaves a configuration that can use it")
{
    Site site;
    Newcomer person;
    write_file(person.home / "set.json", site.token_response());
    sim::Fault slow;
    slow.path = "/oauth/token/";
    slow.delay_after = std::chrono::milliseconds(5000);
    site.service().world()->faults.add(slow);
    site.service().world()->reset_audit();
    auto line = init_line(person, site);
    line.insert(line.end(), {"--token-file", person.home / "set.json"});
    TerminalProcess init(line, person.environment());
    for (int i = 0; i < 30 && site.service().audit_report().token_posts == 0; ++i) {
        CHECK_FALSE(init.shows("Mirror which lists?", 1));
    }
    REQUIRE(site.service().audit_report().token_posts == 1);
    init.type("\x03");
    const auto ended = init.wait(30);
    INFO(init.screen());
    CHECK(ended.code > 0);
    CHECK(contains(init.screen(), "interrupted; the token set is imported"));
    CHECK(person.ctl({"config", "check"}).code == 0);
    // The set that came with the answer is the one that is kept.
    const auto state =
        run_program({built_program("shelfd"), "--config", person.config_file(), "--check-state"}, person.environment());
    INFO(state.out << state.err);
    CHECK(contains(state.out, "generation 2"));
    CHECK(site.service().audit_report().reuses_of_spent == 0);
}

TEST_CASE("Ctrl-C or the quit key while try explores leaves no token behind")
{
    const StrangeService service;
    Newcomer person;
    const std::string key = GENERATE("\x03", "\x1c");
    TerminalProcess trial({built_program("shelfctl"), "try", service.url(), "--path", "/shop/v7/tickets", "--directory",
                           person.home / "trial"},
                          person.environment());
    REQUIRE(trial.shows("not shown"));
    REQUIRE(trial.hides());
    trial.type(std::string(StrangeService::token) + "\n");
    REQUIRE(trial.shows("# exploring"));
    trial.type(key);
    const auto ended = trial.wait(30);
    INFO(trial.screen());
    CHECK(ended.code > 0);
    CHECK(contains(trial.screen(), "interrupted"));
    CHECK(person.files_with(StrangeService::token).empty());
    CHECK(fs::is_empty(person.home / "run"));
}

TEST_CASE("init replaces no file that is there, and says which one, before it asks or writes anything")
{
    Newcomer person;
    write_file(person.home / "secret", "hidden-client-secret\n");
    const auto config = person.home / ".config/shelfd";
    const auto init = [&](const std::string& library) {
        return person.ctl({"init", "https://api.example.com", "--non-interactive", "--client-id", "x",
                           "--client-secret-file", person.home / "secret", "--library", library, "--path",
                           "/api/v2/library/recipes/"});
    };
    for (const std::string file : {"conf.d/lists.toml", "conf.d/antwerp.toml", "secrets/main", "shelfd.toml"}) {
        CAPTURE(file);
        fs::remove_all(config);
        fs::create_directories(fs::path(config + "/" + file).parent_path());
        write_file(config + "/" + file, "# years of work\n");
        const auto ran = init("antwerp");
        INFO(ran.err);
        CHECK(ran.code == 64);
        CHECK(contains(ran.err, config + "/" + file + " is there already"));
        CHECK(contains(ran.err, "move"));
        CHECK(read_file(config + "/" + file) == "# years of work\n");
        std::size_t files = 0;
        for (const auto& entry : fs::recursive_directory_iterator(config)) {
            files += entry.is_regular_file() ? 1 : 0;
        }
        CHECK(files == 1);
    }
    fs::remove_all(config);
    // Also a link that leads nowhere.
    fs::create_directories(config + "/conf.d");
    fs::create_symlink("/nowhere/at/all", config + "/conf.d/lists.toml");
    CHECK(init("antwerp").code == 64);
    CHECK(fs::is_symlink(config + "/conf.d/lists.toml"));
    fs::remove_all(config);
    const auto lists = init("lists");
    CHECK(lists.code == 64);
    CHECK(contains(lists.err, "conf.d/lists.toml"));
    CHECK_FALSE(fs::exists(config));
    // A fault in what is there already: nothing is added to it.
    fs::create_directories(config + "/conf.d");
    write_file(config + "/conf.d/old.toml", "[library.antwerp]\nnonsense = 1\n");
    CHECK(init("antwerp").code != 0);
    CHECK_FALSE(fs::exists(config + "/shelfd.toml"));
    CHECK_FALSE(fs::exists(config + "/secrets/main"));
}

TEST_CASE("lists whose paths end alike become tables of their own, and a path that is given twice one")
{
    Newcomer person;
    write_file(person.home / "secret", "hidden-client-secret\n");
    const auto ran = person.ctl({"init", "https://api.example.com", "--non-interactive", "--client-id", "x",
                                 "--client-secret-file", person.home / "secret", "--library", "antwerp", "--path",
                                 "/sales/lines/", "--path", "/purchases/lines/", "--path", "/sales/lines/"});
    INFO(ran.out << ran.err);
    CHECK(ran.code == 0);
    const auto lists = read_file(person.home / ".config/shelfd/conf.d/lists.toml");
    CHECK(contains(lists, "[resource.lines]\npath = \"/sales/lines/\"\n"));
    CHECK(contains(lists, "[resource.lines_2]\npath = \"/purchases/lines/\"\n"));
    CHECK_FALSE(contains(lists, "lines_3"));
    CHECK(person.ctl({"config", "check"}).code == 0);
}

TEST_CASE("commands that init and try print can be pasted, whatever the directory is called")
{
    Newcomer person;
    write_file(person.home / "secret", "hidden-client-secret\n");
    const auto odd = person.home / "it's my $HOME";
    fs::create_directory(odd);
    const auto ran =
        run_program({built_program("shelfctl"), "--config", odd + "/shelfd.toml", "init", "https://api.example.com",
                     "--non-interactive", "--client-id", "x", "--client-secret-file", person.home / "secret",
                     "--library", "antwerp", "--path", "/a/", "--json"},
                    person.environment());
    INFO(ran.out << ran.err);
    REQUIRE(ran.code == 0);
    CHECK(contains(ran.out, R"(shelfctl --config ')" + person.home.path() + R"(/it'\\''s my $HOME/shelfd.toml' wait)"));

    const StrangeService service;
    const auto trial = person.ctl({"try", service.url(), "--path", "/shop/v7/tickets", "--directory", odd + "/trial"},
                                  std::string(StrangeService::token) + "\n");
    INFO(trial.out << trial.err);
    REQUIRE(trial.code == 0);
    // The first query, as a person pastes it.
    const auto begin = trial.out.find("\n$ ") + 3;
    const auto command = trial.out.substr(begin, trial.out.find('\n', begin) - begin);
    auto variables = person.environment();
    variables["PATH"] = fs::path(built_program("shelfctl")).parent_path().string() + ":/usr/bin:/bin";
    const auto pasted = run_program({"/bin/sh", "-c", command}, variables);
    INFO(command << pasted.err);
    CHECK(pasted.code == 0);
    CHECK(contains(pasted.out, "136"));
}

TEST_CASE("as root where systemd does not run, init says what it wrote, and then how to start the daemon")
{
    // A system of its own: /etc over that of this machine, with a user shelfd; no /run/systemd.
    constexpr auto script = R"sh(
        mount -t tmpfs none "$1" && mkdir "$1/up" "$1/work" &&
            mount -t overlay -o "lowerdir=/etc,upperdir=$1/up,workdir=$1/work" overlay /etc &&
            mount -t tmpfs none /run && mount -t tmpfs none /var/lib || exit 77
        grep -q '^shelfd:' /etc/group || echo 'shelfd:x:7020:' >>/etc/group
        grep -q '^shelfd:' /etc/passwd || echo 'shelfd:x:7020:7020::/var/lib/shelfd:/usr/sbin/nologin' >>/etc/passwd
        install -d -o shelfd -g shelfd -m 0700 /var/lib/shelfd /var/lib/shelfd/tokens /run/shelfd
        install -d -o shelfd -g shelfd -m 2750 /var/lib/shelfd/mirrors
        rm -rf /etc/shelfd
        shift
        runuser -u shelfd -- test -x "${1%/*}/shelfd" || exit 77
        "$@" 2>&1
        status=$?
        find /etc/shelfd /var/lib/shelfd-* -type f -o -type d -name shelfd-two | xargs stat -c '%n %a %U:%G'
        grep -h /var/lib /etc/shelfd/shelfd.toml /etc/shelfd/two/shelfd.toml
        ls -A /run
        exit $status
    )sh";
    const std::string instance = GENERATE("", "two");
    const std::string directory = instance.empty() ? "/etc/shelfd" : "/etc/shelfd/" + instance;
    Site site({.world = {.rows_of = {{"library/recipes", 300}}}});
    Newcomer person;
    write_file(person.home / "set.json", site.token_response());
    fs::create_directory(person.home / "layer");
    std::vector<std::string> line = {"/usr/bin/unshare",
                                     "--mount",
                                     "--propagation",
                                     "private",
                                     "/bin/sh",
                                     "-c",
                                     script,
                                     "sh",
                                     person.home / "layer",
                                     built_program("shelfctl")};
    if (!instance.empty()) {
        line.insert(line.end(), {"--config", directory + "/shelfd.toml"});
    }
    const auto words = person.init_of(site);
    line.insert(line.end(), words.begin(), words.end());
    line.insert(line.end(), {"--non-interactive", "--token-file", person.home / "set.json"});
    const auto ran = run_program(line, {{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"}, {"HOME", "/root"}});
    INFO(ran.out << ran.err);
    if (geteuid() != 0 || ran.code == 77) {
        WARN("skipped: this needs root, namespaces, and programs that another user may run");
        return;
    }
    CHECK(ran.code == 0);
    CHECK(contains(ran.out, "The configuration is in " + directory + ". Next:\n    sudo runuser -u shelfd -- " +
                                built_program("shelfd") + " --config " + directory + "/shelfd.toml\n"));
    CHECK_FALSE(contains(ran.out, "systemctl"));
    CHECK(contains(ran.out, directory + "/shelfd.toml 644 root:root\n"));
    CHECK(contains(ran.out, directory + "/secrets/main 640 root:shelfd\n"));
    const auto state = instance.empty() ? std::string("/var/lib/shelfd/") : "/var/lib/shelfd-" + instance + "/";
    CHECK(contains(ran.out, "tokens = \"" + state + "tokens\""));
    CHECK((instance.empty() || contains(ran.out, "/var/lib/shelfd-two 751 shelfd:shelfd\n")));
    // Nothing of the exploration is left in /run.
    CHECK(ran.out.ends_with(instance.empty() ? "\nshelfd\n" : "\nshelfd\nshelfd-two\n"));
}

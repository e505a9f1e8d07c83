// The first ten minutes: what a person does who has installed the programs and has a token, and nothing else.
#include "site.hpp"
#include "strange_service.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

using namespace shelfd;

namespace {

namespace fs = std::filesystem;

// A person's own directories, on a machine without configuration.
struct Newcomer {
    TempDirectory home;
    std::string printed;

    std::map<std::string, std::string> environment() const
    {
        auto variables = clean_environment();
        variables["HOME"] = home.path();
        variables["XDG_RUNTIME_DIR"] = home / "run";
        variables["PATH"] = "/usr/bin:/bin";
        return variables;
    }
    Newcomer() { fs::create_directory(home / "run"); }

    std::string config_file() const { return home / ".config/shelfd/shelfd.toml"; }

    // The configuration is named: tests may run as root, whose own would be the system's.
    Ran ctl(const std::vector<std::string>& arguments, const std::string& input = "")
    {
        std::vector<std::string> line = {built_program("shelfctl")};
        if (arguments.front() != "try") {
            line.insert(line.end(), {"--config", config_file()});
        }
        line.insert(line.end(), arguments.begin(), arguments.end());
        auto ran = run_program(line, environment(), input);
        printed += ran.out + ran.err;
        return ran;
    }
    // Every file below the home directory that holds `text`.
    std::vector<std::string> files_with(const std::string& text) const
    {
        std::vector<std::string> found;
        for (const auto& entry : fs::recursive_directory_iterator(home.path())) {
            if (entry.is_regular_file() && read_file(entry.path().string()).find(text) != std::string::npos) {
                found.push_back(entry.path().string());
            }
        }
        return found;
    }
};

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
    CHECK(contains(json.out, R"("table":"halls","rows":3,"state":"fresh")"));
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
    CHECK(person.files_with("another-token-of-nobody").empty());
    const auto nothing = at("/shop/v7/nothing", StrangeService::token, "b");
    INFO(nothing.out << nothing.err);
    CHECK(nothing.code != 0);
    CHECK(contains(nothing.err, "404"));
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

TEST_CASE("the first configuration is written, checked and in effect, without root, and finds the lists by itself")
{
    Site site({.world = {.rows_of = {{"sales/lines", 1500}, {"library/recipes", 300}}}});
    Newcomer person;
    const auto customer = site.service().world()->library("lib01");
    write_file(person.home / "secret", customer.client_secret + "\n");
    write_file(person.home / "set.json", site.token_response());
    const auto began = std::chrono::steady_clock::now();
    const auto ran = person.ctl({"init", site.service().url(), "--non-interactive", "--client-id", customer.client_id,
                                 "--client-secret-file", person.home / "secret", "--library", "antwerp", "--token-file",
                                 person.home / "set.json", "--allow-unsafe"});
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
    CHECK(contains(read_file(config + "/conf.d/antwerp.toml"), "[library.antwerp]\n"));
    CHECK((fs::status(config + "/secrets/antwerp").permissions() & fs::perms::others_all) == fs::perms::none);
    CHECK((fs::status(config + "/secrets/antwerp").permissions() & fs::perms::group_all) == fs::perms::none);
    CHECK_FALSE(contains(person.printed, customer.client_secret));

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
    CHECK(contains(ran.err, "--client-secret-file is missing"));
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
          std::vector<std::string>{person.home / "secret", person.home / ".config/shelfd/secrets/antwerp"});
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

#include "config/bind/resource_names.hpp"
#include "config/show.hpp"
#include "files.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace shelfd;
using namespace shelfd::config;
using namespace std::chrono_literals;
using test::ConfigFiles;

namespace {

Configuration load_good(const ConfigFiles& files, const Environment& environment = {})
{
    auto outcome = files.load(environment);
    INFO(test::list(files, outcome.faults));
    REQUIRE(outcome.faults.empty());
    REQUIRE(outcome.configuration);
    return std::move(*outcome.configuration);
}

const Resource& resource(const Configuration& configuration, const std::string& library, const std::string& name)
{
    const auto* found = configuration.find_library(library);
    REQUIRE(found != nullptr);
    for (const auto& candidate : found->resources) {
        if (candidate.name == name) {
            return candidate;
        }
    }
    FAIL("no resource " << name);
    std::abort();
}

std::vector<std::string> names(const Library& library)
{
    std::vector<std::string> found;
    for (const auto& candidate : library.resources) {
        found.push_back(candidate.name);
    }
    return found;
}

std::string read_text(const std::string& path)
{
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

const char* const everything = R"(
[service]
base_url = "HTTPS://API.example.com:8443/"
auth_url = "http://127.0.0.1:8080"
rate_limit = "none"
limit_group = "all"
leave = 7
quiet = ["22:00-06:00", "12:00-14:30"]
page_size = 500
page_param = "p"
page_size_param = "limit"
ordering_param = "sort"
in_flight = 2
identity = { path = "/{region}/me/", field = "library.id", user_field = "user.id" }
introspection_path = "/{region}/oauth/introspect/"
params = { format = "json", flag = true, depth = 3 }
headers = { X-Client = "5$$" }
proxy = "socks5h://[::1]:1080"
ca_file = ")" SHELFD_SOURCE_DIR R"(/tests/config/authority.pem"
connect_timeout = "1s500ms"
idle_timeout = "2m"
total_timeout = "1h"
max_body = "1GiB"
late_after = "2h"
contact = "desk@example.com"
[application.partner]
client_id = "id-\u00e9 \"x\""
client_secret = { command = ["/bin/echo", "a b", "c\n"] }
client_auth = "basic"
redirect_uri = "https://partner.example.com/back?x=1"
scopes = ["accounts", "library"]
token_kind = "personal"
[defaults]
every = "1h"
splay = "2.5%"
[resource.recipes]
path = "/{region}/recipes/"
needs = "library"
key = ["uuid"]
params = { kind = "{region}-all" }
ordering = "-modified"
every = "1s"
late_after = "3h"
detail = { path = "/{region}/recipes/{uuid}/", refresh_within = "7d" }
keep_deleted = true
changes = "keys"
[resource.sales]
path = "/sales/"
enabled = false
[resource.users]
path = "/users/"
detail = { url_field = "url" }
[library.one]
application = "partner"
library_id = 42
vars = { region = "eu" }
paused = true
note = "Ask first."
page_size = 10
[library.one.resource.sales]
enabled = true
[library.one.resource.recipes]
every = "2s"
[library.two]
application = "partner"
library_id = "forty-two"
vars = { region = "us" }
resources = ["recipes"]
client_id = "two"
token_kind = "service_account"
late_after = "4h"
readers = ["root", "sync"]
[library.two.resource.own]
path = "/own/"
[storage]
mirrors = "/srv/mirrors"
tokens = "/srv/tokens"
tokens_copy = "/mnt/tokens"
machine_id = "m1"
allow_unsafe = true
[control]
socket = "/tmp/s.sock"
readers = ""
admins = "wheel"
[log]
level = "debug"
format = "json"
[changes]
keep = "7d"
max_rows = 5000
[deletions]
max_share = "2.5%"
min_rows = 0
[snapshot]
every = "6h"
)";

}  // namespace

TEST_CASE("a key that is absent has its default")
{
    const auto configuration = load_good(ConfigFiles(test::good_library));
    const auto& library = configuration.libraries.at(0);
    const auto& service = library.service;
    CHECK(service.auth_url == "https://good.example.com");
    CHECK(service.requests_per_minute == 100u);
    CHECK(service.limit_group == "good");
    CHECK(service.page_size == 200);
    CHECK(service.page_param == "page");
    CHECK(service.page_size_param == "page_size");
    CHECK(service.ordering_param == "ordering");
    CHECK(service.in_flight == 8);
    CHECK_FALSE(service.identity.has_value());
    CHECK(service.connect_timeout == 10s);
    CHECK(service.idle_timeout == 60s);
    CHECK(service.total_timeout == 10min);
    CHECK(service.max_body == 64u << 20);
    CHECK(library.application.redirect_uri == "https://good.example.com/auth-code/");
    CHECK(library.application.client_auth == ClientAuth::body);
    CHECK_FALSE(library.application.token_kind);
    CHECK_FALSE(library.paused);
    const auto& good = resource(configuration, "good", "good");
    CHECK(good.key == std::vector<std::string>{"id"});
    CHECK(good.schedule.interval == 15min);
    CHECK(good.schedule.splay == 0.1);
    CHECK_FALSE(good.late_after.has_value());
    CHECK(configuration.storage.mirrors == "/var/lib/shelfd/mirrors");
    CHECK(configuration.storage.tokens == "/var/lib/shelfd/tokens");
    CHECK(configuration.control.socket == "/run/shelfd/control.sock");
    CHECK(configuration.log.level == "info");
    CHECK(configuration.log.format == LogFormatChoice::automatic);
    CHECK_FALSE(good.keep_deleted);
    CHECK(good.changes == ChangeDetail::values);
    CHECK(configuration.changes.keep == 90 * 24h);
    CHECK_FALSE(configuration.changes.max_rows.has_value());
    CHECK(configuration.deletions.max_share == 0.2);
    CHECK(configuration.deletions.min_rows == 10);
}

TEST_CASE("every key of the daemon and the service arrives as written")
{
    const auto configuration = load_good(ConfigFiles(everything));
    const auto& service = configuration.libraries.at(0).service;
    CHECK(service.base_url == "https://api.example.com:8443");
    CHECK(service.auth_url == "http://127.0.0.1:8080");
    CHECK_FALSE(service.requests_per_minute.has_value());
    CHECK(service.limit_group == "all");
    CHECK(service.leave == 7);
    CHECK(service.quiet == std::vector<TimeSpan>{{22h, 6h}, {12h, 14h + 30min}});
    CHECK(service.page_param == "p");
    CHECK(service.page_size_param == "limit");
    CHECK(service.ordering_param == "sort");
    CHECK(service.in_flight == 2);
    REQUIRE(service.identity);
    CHECK(service.identity->path == "/eu/me/");
    CHECK(service.identity->field == "library.id");
    CHECK(service.identity->user_field == "user.id");
    CHECK(service.introspection_path == "/eu/oauth/introspect/");
    CHECK(service.params == std::map<std::string, std::string>{{"format", "json"}, {"flag", "true"}, {"depth", "3"}});
    CHECK(service.headers == std::map<std::string, std::string>{{"X-Client", "5$"}});
    CHECK(service.proxy == "socks5h://[::1]:1080");
    CHECK(service.ca_file == SHELFD_SOURCE_DIR "/tests/config/authority.pem");
    CHECK(service.connect_timeout == 1500ms);
    CHECK(service.idle_timeout == 2min);
    CHECK(service.total_timeout == 1h);
    CHECK(service.max_body == 1u << 30);
    CHECK(service.contact == "desk@example.com");
    CHECK(configuration.storage.mirrors == "/srv/mirrors");
    CHECK(configuration.storage.tokens == "/srv/tokens");
    CHECK(configuration.storage.tokens_copy == "/mnt/tokens");
    CHECK(configuration.storage.machine_id == "m1");
    CHECK(configuration.storage.allow_unsafe);
    CHECK(configuration.control.socket == "/tmp/s.sock");
    CHECK(configuration.control.readers.empty());
    CHECK(configuration.control.admins == "wheel");
    CHECK(configuration.log.level == "debug");
    CHECK(configuration.log.format == LogFormatChoice::json);
    CHECK(configuration.changes.keep == 7 * 24h);
    CHECK(configuration.changes.max_rows == 5000u);
    CHECK(configuration.deletions.max_share == 0.025);
    CHECK(configuration.deletions.min_rows == 0);
    // A group, and a user for whom there is no group; the admins' group is not there.
    const std::vector<Account> readers = {{Account::Kind::group, 0, "root"}, {Account::Kind::user, 4, "sync"}};
    CHECK(configuration.libraries.at(1).readers == readers);
    CHECK_FALSE(configuration.libraries.at(1).admins);
    CHECK(configuration.libraries.front().readers.empty());
    // A library that runs is compared with what a reload says: it must know what it runs under.
    CHECK(configuration.libraries.at(1).changes == configuration.changes);
    CHECK(configuration.libraries.at(1).deletions == configuration.deletions);
    CHECK(configuration.snapshot.every == Duration(std::chrono::hours(6)));
    CHECK(configuration.libraries.front().snapshot_every == configuration.snapshot.every);
}

TEST_CASE("what is written nearer to a library or a table wins, key by key")
{
    const auto configuration = load_good(ConfigFiles(everything));
    const auto& one = configuration.libraries.at(0);
    const auto& two = configuration.libraries.at(1);
    CHECK(one.service.page_size == 10);
    CHECK(two.service.page_size == 500);
    CHECK(one.library_id == "42");
    CHECK(two.library_id == "forty-two");
    CHECK(one.paused);
    CHECK(one.note == "Ask first.");

    CHECK(one.application.name == "partner");
    CHECK(one.application.client_id == "id-\u00e9 \"x\"");
    CHECK(one.application.client_auth == ClientAuth::basic);
    CHECK(one.application.redirect_uri == "https://partner.example.com/back?x=1");
    CHECK(one.application.scopes == std::vector<std::string>{"accounts", "library"});
    CHECK(one.application.token_kind == TokenKind::personal);
    REQUIRE(one.application.client_secret);
    CHECK(one.application.client_secret->kind == SecretReference::Kind::command);
    CHECK(one.application.client_secret->command == std::vector<std::string>{"/bin/echo", "a b", "c\n"});
    CHECK(two.application.client_id == "two");
    CHECK(two.application.client_auth == ClientAuth::basic);
    CHECK(two.application.token_kind == TokenKind::service_account);

    CHECK(names(one) == std::vector<std::string>{"recipes", "sales", "users"});
    CHECK(names(two) == std::vector<std::string>{"recipes", "own"});
    const auto& recipes = resource(configuration, "one", "recipes");
    CHECK(recipes.path == "/eu/recipes/");
    CHECK(recipes.needs == "library");
    CHECK(recipes.key == std::vector<std::string>{"uuid"});
    CHECK(recipes.params == std::map<std::string, std::string>{{"kind", "eu-all"}});
    CHECK(recipes.ordering == "-modified");
    CHECK(recipes.schedule.interval == 2s);
    CHECK(recipes.schedule.splay == 0.025);
    CHECK(recipes.late_after == Duration(3h));
    CHECK(recipes.keep_deleted);
    CHECK(recipes.changes == ChangeDetail::keys);
    CHECK_FALSE(resource(configuration, "one", "users").keep_deleted);
    CHECK(resource(configuration, "two", "recipes").path == "/us/recipes/");
    CHECK(resource(configuration, "two", "recipes").schedule.interval == 1s);
    CHECK(resource(configuration, "one", "users").schedule.interval == 1h);
    CHECK(resource(configuration, "one", "users").late_after == Duration(2h));
    CHECK(resource(configuration, "two", "own").late_after == Duration(4h));
}

TEST_CASE("of every and at the nearer one holds, and the zone comes from whoever is nearest")
{
    const auto configuration = load_good(ConfigFiles(R"(
[service]
timezone = "America/New_York"
[defaults]
every = "1h"
[resource.nightly]
path = "/n/"
at = ["13:00", "03:30"]
days = ["sun", "mon"]
[resource.hourly]
path = "/h/"
[resource.back]
path = "/b/"
at = ["04:00"]
timezone = "Asia/Tokyo"
[library.one]
base_url = "https://one.example.com"
client_id = "one"
client_secret = { credential = "one" }
timezone = "Europe/Brussels"
[library.one.resource.back]
every = "5m"
[library.two]
base_url = "https://two.example.com"
client_id = "two"
client_secret = { credential = "two" }
)"));
    const auto& nightly = resource(configuration, "one", "nightly").schedule;
    CHECK(nightly.interval == 0s);
    CHECK(nightly.at == std::vector<std::chrono::minutes>{3h + 30min, 13h});
    CHECK(nightly.days == Weekdays(0b1000001));
    CHECK(nightly.timezone == "Europe/Brussels");
    CHECK(resource(configuration, "two", "nightly").schedule.timezone == "America/New_York");
    CHECK(resource(configuration, "one", "hourly").schedule.interval == 1h);
    CHECK(resource(configuration, "one", "hourly").schedule.at.empty());
    CHECK(resource(configuration, "one", "back").schedule.interval == 5min);
    CHECK(resource(configuration, "one", "back").schedule.at.empty());
    const auto& back = resource(configuration, "two", "back").schedule;
    CHECK(back.at == std::vector<std::chrono::minutes>{4h});
    CHECK(back.days.all());
    CHECK(back.timezone == "Asia/Tokyo");
    const auto again = load_good(ConfigFiles(show(configuration, ShowOrigin::no)));
    CHECK(again.libraries == configuration.libraries);
}

TEST_CASE("resources are chosen by name, by star and by exclusion")
{
    struct Row {
        const char* choice;
        std::vector<std::string> taken;
    };
    const Row rows[] = {
        {"[\"*\"]", {"a", "b", "c"}},
        {"[\"*\", \"-b\"]", {"a", "c"}},
        {"[\"-b\"]", {"a", "c"}},
        {"[\"c\", \"a\"]", {"a", "c"}},
        {"[\"*\", \"-b\", \"b\"]", {"a", "b", "c"}},
        {"[\"a\", \"-a\", \"b\"]", {"b"}},
    };
    for (const auto& row : rows) {
        INFO(row.choice);
        std::string text;
        for (const std::string name : {"a", "b", "c"}) {
            text += "[resource." + name + "]\npath = \"/x/\"\nevery = \"1h\"\n";
        }
        text += "[library.l]\nbase_url = \"https://l.example.com\"\nclient_id = \"l\"\nclient_secret = { credential = "
                "\"l\" }\nresources = ";
        CHECK(names(load_good(ConfigFiles(text + row.choice)).libraries.at(0)) == row.taken);
    }
}

TEST_CASE("a resource that is none by default is mirrored by the libraries that name it")
{
    struct Row {
        const char* choice;
        std::vector<std::string> taken;
    };
    const Row rows[] = {
        {"", {"a"}},
        {"resources = [\"*\"]", {"a"}},
        {"resources = [\"*\", \"b\"]", {"a", "b"}},
        {"resources = [\"b\"]", {"b"}},
        {"resources = [\"-a\", \"b\"]", {"b"}},
        {"[library.l.resource.b]\ndefault = true", {"a", "b"}},
    };
    for (const auto& row : rows) {
        INFO(row.choice);
        const std::string text = "[resource.a]\npath = \"/x/\"\nevery = \"1h\"\n"
                                 "[resource.b]\npath = \"/x/\"\nevery = \"1h\"\ndefault = false\n"
                                 "[library.l]\nbase_url = \"https://l.example.com\"\nclient_id = \"l\"\n"
                                 "client_secret = { credential = \"l\" }\n";
        CHECK(names(load_good(ConfigFiles(text + row.choice)).libraries.at(0)) == row.taken);
    }
}

TEST_CASE("a library that was renamed says so, and hooks may use either name")
{
    auto text = std::string(test::good_library);
    text.insert(text.find("base_url"), "formerly = \"better\"\n");
    text += "[hooks.mail]\ncommand = [\"/bin/true\"]\nlibraries = ";
    for (const auto* name : {"[\"good\"]", "[\"better\"]"}) {
        INFO(name);
        const auto configuration = load_good(ConfigFiles(text + name + "\n"));
        CHECK(configuration.libraries.at(0).formerly == "better");
        CHECK(configuration.hooks.at(0).libraries == std::vector<std::string>{"good"});
    }
}

TEST_CASE("one library is shown with all that it inherits, and with the place of each value")
{
    const ConfigFiles files("[defaults]\nevery = \"2h\"\n" + std::string(test::good_library) +
                            "[library.other]\nbase_url = \"https://o.example.com\"\nclient_id = \"o\"\n"
                            "client_secret = { credential = \"o\" }\nresource.r = { path = \"/r/\" }\n");
    auto outcome = config::load(files.path("shelfd.toml"), {}, KeepOrigins::yes);
    REQUIRE(outcome.configuration);
    const auto& other = *outcome.configuration->find_library("other");
    const auto shown = show(*outcome.configuration, other, ShowOrigin::yes);
    CHECK(shown.find("[library.good]") == std::string::npos);
    CHECK(shown.find("[library.other]") == 0);
    CHECK(shown.find("every = \"2h\"  # " + files.path("shelfd.toml") + ":2\n") != std::string::npos);
}

TEST_CASE("http is allowed on loopback, whatever its spelling")
{
    for (const char* url : {"http://localhost", "http://localhost:8000", "http://127.0.0.1:1", "http://127.9.9.9",
                            "http://[::1]:8080", "https://xn--bcher-kva.example"}) {
        INFO(url);
        const auto configuration =
            load_good(ConfigFiles(std::string(test::good_library) +
                                  "[library.l]\nclient_id = \"l\"\nclient_secret = { credential = \"l\" "
                                  "}\nresource.r = { path = \"/r/\", every = \"1h\" }\nbase_url = \"" +
                                  url + "\""));
        CHECK(configuration.libraries.at(1).service.base_url == url);
    }
}

TEST_CASE("the environment fills texts in, and nothing else does")
{
    const std::string text = R"([library.l]
base_url = "https://${HOST}:${PORT}"
client_id = "$${HOST} and $$$$ and ${EMPTY}."
client_secret = { credential = "${NAME}" }
[library.l.resource.r]
path = "/r/"
every = "1h"
)";
    const auto configuration =
        load_good(ConfigFiles(text), {{"HOST", "h.example.com"}, {"PORT", "444"}, {"EMPTY", ""}, {"NAME", "n"}});
    const auto& library = configuration.libraries.at(0);
    CHECK(library.service.base_url == "https://h.example.com:444");
    CHECK(library.application.client_id == "${HOST} and $$ and .");
    CHECK(library.application.client_secret->path_or_name == "n");
}

TEST_CASE("a window arrives as written, and what it does not say has its default")
{
    const auto configuration = load_good(ConfigFiles(std::string(R"(
[resource.sales]
path = "/s/"
every = "15m"
window = { from = "date__gte", to = "date__lt", field = "date", step = "7d", since = "2023-01-01", timezone = "Asia/Tokyo" }
full = { at = ["04:30"], back = "28d" }
settle = { every = "30d", back = "400d" }
[resource.moves]
path = "/m/"
every = "2d"
window = { from = "from", field = "at", step = "6h", since = "2023-01-01T06:00:00+02:00" }
)") + test::good_library));
    const auto& sales = resource(configuration, "good", "sales");
    REQUIRE(sales.window);
    CHECK(sales.window->from == "date__gte");
    CHECK(sales.window->to == "date__lt");
    CHECK(sales.window->step == 168h);
    CHECK(sales.window->timezone == "Asia/Tokyo");
    CHECK(sales.window->back == 28 * 24h);
    CHECK(sales.full->at == std::vector<std::chrono::minutes>{270min});
    CHECK(sales.settle->interval == 30 * 24h);
    CHECK(sales.window->settle_back == 400 * 24h);
    const auto& moves = resource(configuration, "good", "moves");
    CHECK(moves.window->to.empty());
    CHECK(moves.window->timezone == "UTC");
    CHECK(moves.window->back == 14 * 24h);
    CHECK(moves.full->interval == 48h);
    CHECK_FALSE(moves.settle);
    CHECK_FALSE(moves.window->settle_back);
    const auto shown = show(configuration, ShowOrigin::no);
    const auto again = load_good(ConfigFiles(shown));
    CHECK(resource(again, "good", "sales").window == sales.window);
    CHECK(resource(again, "good", "sales").settle == sales.settle);
    CHECK(resource(again, "good", "moves") == moves);
}

TEST_CASE("a list by parent keeps the place of the key in its path, and takes vars beside it")
{
    const auto configuration = load_good(ConfigFiles(R"(
[resource.outlets]
path = "/{region}/outlets/"
answers = "whole"
every = "1h"
[resource.stock]
path = "/{region}/outlets/{outlet_id}/stock/"
every = "1h"
parent = { resource = "outlets", key = "id", as = "outlet_id" }
detail = { path = "/{region}/outlets/{outlet_id}/stock/{id}/" }
[resource.about]
path = "/{region}/outlets/{code}/"
answers = "object"
key = ["code", "id"]
every = "1h"
parent = { resource = "outlets", key = "code", as = "code" }
[library.one]
base_url = "https://one.example.com"
client_id = "one"
client_secret = { command = ["/bin/true"] }
vars = { region = "eu" }
)"));
    const auto& stock = resource(configuration, "one", "stock");
    CHECK(stock.path == "/eu/outlets/{outlet_id}/stock/");
    REQUIRE(stock.parent);
    CHECK(stock.parent->resource == "outlets");
    CHECK(stock.parent->key == "id");
    CHECK(stock.row_key() == std::vector<std::string>{"outlet_id", "id"});
    CHECK(stock.own_key() == std::vector<std::string>{"id"});
    CHECK(stock.detail->path == "/eu/outlets/{outlet_id}/stock/{id}/");
    CHECK(resource(configuration, "one", "outlets").answers == Answers::whole);
    CHECK(stock.answers == Answers::list);
    const auto& about = resource(configuration, "one", "about");
    CHECK(about.answers == Answers::object);
    CHECK(about.row_key() == std::vector<std::string>{"code", "id"});
    CHECK(about.own_key() == std::vector<std::string>{"id"});
    const auto again = load_good(ConfigFiles(show(configuration, ShowOrigin::no)));
    CHECK(resource(again, "one", "stock") == stock);
}

TEST_CASE("a name is free when neither a resource has it nor a table that may stand beside one")
{
    const auto configuration = load_good(ConfigFiles(R"(
[defaults]
every = "1h"
[resource.outlets]
path = "/outlets/"
[resource.units]
path = "/units/"
enabled = false
[resource.prices]
path = "/prices/"
[library.one]
base_url = "https://one.example.com"
client_id = "one"
client_secret = { command = ["/bin/true"] }
resources = ["*", "-prices"]
[library.one.resource.menus_full]
path = "/menus/"
)"));
    const auto& taken = configuration.resource_names;
    CHECK(taken == ResourceNames{"menus_full", "outlets", "prices", "units"});
    for (const auto* name : {"outlets", "units", "prices", "menus_full", "menus", "outlets_detail", "units_deleted"}) {
        INFO(name);
        CHECK_FALSE(is_free(taken, name));
    }
    for (const auto* name : {"prices_2", "menus_2", "full", "_full", "outlets_details"}) {
        INFO(name);
        CHECK(is_free(taken, name));
    }
}

TEST_CASE("what is shown loads again to the same configuration")
{
    const auto configuration = load_good(ConfigFiles(everything));
    const auto shown = show(configuration, ShowOrigin::no);
    const auto again = load_good(ConfigFiles(shown));
    CHECK(show(again, ShowOrigin::no) == shown);

    REQUIRE(again.libraries.size() == configuration.libraries.size());
    for (std::size_t i = 0; i < again.libraries.size(); ++i) {
        const auto& before = configuration.libraries[i];
        const auto& after = again.libraries[i];
        CHECK(after.name == before.name);
        CHECK(after.application.client_id == before.application.client_id);
        CHECK(after.application.client_secret->command == before.application.client_secret->command);
        CHECK(after.application.token_kind == before.application.token_kind);
        CHECK(after.service.requests_per_minute == before.service.requests_per_minute);
        CHECK(after.service.headers == before.service.headers);
        CHECK(after.service.params == before.service.params);
        CHECK(after.service.connect_timeout == before.service.connect_timeout);
        CHECK(after.service.max_body == before.service.max_body);
        CHECK(after.vars == before.vars);
        CHECK(names(after) == names(before));
        for (std::size_t j = 0; j < after.resources.size(); ++j) {
            CHECK(after.resources[j].path == before.resources[j].path);
            CHECK(after.resources[j].schedule.interval == before.resources[j].schedule.interval);
            CHECK(after.resources[j].schedule.splay == before.resources[j].schedule.splay);
            CHECK(after.resources[j].late_after == before.resources[j].late_after);
        }
    }
}

TEST_CASE("a library alone is shown with what it inherits from its application, and where that was written")
{
    const ConfigFiles files(everything);
    const auto configuration = load_good(files);
    const auto shown = show(configuration, configuration.libraries.at(1), ShowOrigin::yes);
    INFO(shown);
    CHECK(shown.find("application = \"partner\"") != std::string::npos);
    CHECK(shown.find("client_id = \"two\"") != std::string::npos);
    for (const auto* key : {"client_secret", "client_auth", "redirect_uri", "scopes"}) {
        INFO(key);
        const auto at = shown.find(std::string("\n") + key + " = ");
        REQUIRE(at != std::string::npos);
        CHECK(shown.substr(at + 1, shown.find('\n', at + 1) - at - 1).find("  # " + files.path("shelfd.toml")) !=
              std::string::npos);
    }
}

TEST_CASE("an origin is shown for what was written, and for nothing that is a default")
{
    const ConfigFiles files(test::good_library);
    const auto shown = show(load_good(files), ShowOrigin::yes);
    const auto at = [&](int line) { return "  # " + files.path("shelfd.toml") + ":" + std::to_string(line) + "\n"; };
    CHECK(shown.find("base_url = \"https://good.example.com\"" + at(3)) != std::string::npos);
    CHECK(shown.find("every = \"15m\"" + at(8)) != std::string::npos);
    CHECK(shown.find("page_size = 200\n") != std::string::npos);
    load_good(ConfigFiles(shown));
}

TEST_CASE("the sample configurations lack nothing but the secret's file")
{
    for (const std::string name : {"shelfd.toml", "minimal.toml", "kitchen.toml"}) {
        INFO(name);
        const auto sample = std::string(SHELFD_SOURCE_DIR) + "/config/" + name;
        const auto outcome = config::load(sample, {});
        REQUIRE(outcome.faults.size() == 1);
        CHECK(outcome.faults[0].text.find("the secret's file /etc/shelfd/secrets/") != std::string::npos);
        CHECK(outcome.warnings.empty());

        ConfigFiles files;
        const auto secret = files.write("secret", "hush\n");
        auto text = read_text(sample);
        const auto begin = text.find("/etc/shelfd/secrets/");
        text.replace(begin, text.find('"', begin) - begin, secret);
        files.write("shelfd.toml", text);
        CHECK_FALSE(load_good(files).libraries.empty());
    }
}

TEST_CASE("the configuration in the example for Kubernetes is one")
{
    const auto manifest = read_text(std::string(SHELFD_SOURCE_DIR) + "/contrib/container/kubernetes.yaml");
    const std::string begin = "  shelfd.toml: |\n";
    const auto at = manifest.find(begin);
    REQUIRE(at != std::string::npos);
    std::string text;
    std::istringstream lines(manifest.substr(at + begin.size()));
    for (std::string line; std::getline(lines, line) && (line.empty() || line.starts_with("    "));) {
        text += line.substr(std::min<std::size_t>(line.size(), 4)) + "\n";
    }
    ConfigFiles files;
    const std::string place = "/etc/shelfd-secrets/demo";
    const auto secret = text.find(place);
    REQUIRE(secret != std::string::npos);
    text.replace(secret, place.size(), files.write("secret", "hush\n"));
    files.write("shelfd.toml", text);
    const auto configuration = load_good(files);
    REQUIRE(configuration.libraries.size() == 1);
    CHECK(configuration.libraries.front().resources.size() == 1);
}

TEST_CASE("a hook has its defaults, and secrets by reference")
{
    const ConfigFiles files;
    const auto secret = files.write("url", "https://chat.example.com/hush\n");
    files.write("shelfd.toml",
                std::string(test::good_library) +
                    "\n[hooks.mail]\ncommand = [\"/bin/true\", \"desk@example.com\"]\n"
                    "[hooks.chat]\non = [\"page\", \"held\"]\npost = { file = \"" +
                    secret + "\" }\nheaders = { X-Kind = \"plain\", Authorization = { file = \"" + secret +
                    "\" } }\nca_file = \"" SHELFD_SOURCE_DIR
                    "/tests/config/authority.pem\"\nafter = \"1m\"\nrepeat = \"1d\"\ntimeout = \"5s\"\n");
    const auto configuration = load_good(files);
    REQUIRE(configuration.hooks.size() == 2);
    const auto& mail = configuration.hooks[0];
    CHECK(mail.name == "mail");
    CHECK(mail.on == std::vector<std::string>{"page", "ticket"});
    CHECK(mail.command == std::vector<std::string>{"/bin/true", "desk@example.com"});
    CHECK_FALSE(mail.after);
    CHECK(mail.repeat == 4h);
    CHECK(mail.timeout == 30s);
    CHECK(mail.libraries.empty());
    const auto& chat = configuration.hooks[1];
    CHECK(chat.on == std::vector<std::string>{"page", "held"});
    REQUIRE(chat.post_secret);
    CHECK(chat.post_secret->path_or_name == secret);
    CHECK(chat.post.empty());
    REQUIRE(chat.headers.size() == 2);
    CHECK(chat.headers[0].value == "plain");
    REQUIRE(chat.headers[1].secret);
    CHECK(chat.ca_file == SHELFD_SOURCE_DIR "/tests/config/authority.pem");
    CHECK(chat.after == Duration(1min));
    CHECK(chat.repeat == 24h);

    const auto text = show(configuration, ShowOrigin::no);
    CHECK(text.find("hush") == std::string::npos);
    CHECK(text.find("[hooks.chat]\non = [\"page\", \"held\"]\npost = { file = ") != std::string::npos);
    const ConfigFiles again(text);
    CHECK(load_good(again).hooks == configuration.hooks);
}

TEST_CASE("control.listen is none by default, and is shown as it was written")
{
    CHECK(load_good(ConfigFiles(test::good_library)).control.listen.empty());
    const ConfigFiles files;
    const auto token = files.write("token", "hush\n");
    for (const std::string address : {"127.0.0.1:9464", "127.8.8.8:1", "[::1]:9464"}) {
        files.write("shelfd.toml", std::string(test::good_library) + "\n[control]\nlisten = \"" + address + "\"\n");
        CHECK(load_good(files).control.listen == address);
    }
    files.write("shelfd.toml", std::string(test::good_library) +
                                   "\n[control]\nlisten = \"0.0.0.0:9464\"\nlisten_anywhere = true\n"
                                   "listen_token = { file = \"" +
                                   token + "\" }\n");
    const auto configuration = load_good(files);
    CHECK(configuration.control.listen_anywhere);
    REQUIRE(configuration.control.listen_token);
    CHECK(configuration.control.listen_token->path_or_name == token);
    const auto text = show(configuration, ShowOrigin::no);
    CHECK(text.find("hush") == std::string::npos);
    CHECK(load_good(ConfigFiles(text)).control == configuration.control);
}

TEST_CASE("a hook for published rounds hears of trouble only where it says so, and is shown as it was written")
{
    const ConfigFiles files(std::string(test::good_library) +
                            "\n[hooks.feed]\ncommand = [\"/bin/true\"]\non_publish = [\"*\"]\n"
                            "[hooks.both]\ncommand = [\"/bin/true\"]\non = [\"page\"]\non_publish = [\"good\"]\n");
    const auto configuration = load_good(files);
    REQUIRE(configuration.hooks.size() == 2);
    CHECK(configuration.hooks[0].on.empty());
    CHECK(configuration.hooks[0].on_publish == std::vector<std::string>{"*"});
    CHECK(configuration.hooks[1].on == std::vector<std::string>{"page"});
    const ConfigFiles again(show(configuration, ShowOrigin::no));
    CHECK(load_good(again).hooks == configuration.hooks);
}

TEST_CASE("the examples of hooks are right, but for where they and their secrets lie")
{
    const ConfigFiles files;
    const auto secret = files.write("secret", "https://chat.example.com/\n");
    auto text = read_text(std::string(SHELFD_SOURCE_DIR) + "/contrib/hooks/hooks.toml");
    const auto replace = [&text](const std::string& from, const std::string& to) {
        for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
            text.replace(at, from.size(), to);
        }
    };
    replace("/usr/share/doc/shelfd/examples/hooks", std::string(SHELFD_SOURCE_DIR) + "/contrib/hooks");
    replace("/etc/shelfd/secrets/slack_url", secret);
    files.write("shelfd.toml", text + test::good_library);
    CHECK(load_good(files).hooks.size() == 6);
}

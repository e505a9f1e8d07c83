// The daemon against a service made of Django, django-oauth-toolkit and Django REST framework.
#include "mirror_comparison.hpp"
#include "reference_service.hpp"
#include "site.hpp"
#include "support/catch.hpp"
#include "support/plain_get.hpp"

#include <fmt/format.h>

using namespace shelfd;

namespace {

// The daemon beside the service, and shelfctl.
struct Reference {
    explicit Reference(ReferenceService::Settings settings = {}) : service(std::move(settings))
    {
        auto text =
            fmt::format(R"([service]
base_url   = "{}"
rate_limit = "none"
identity   = {{ path = "/api/v2/accounts/libraries/current/", field = "id" }}
[storage]
mirrors      = "{}"
tokens       = "{}"
allow_unsafe = true
[control]
socket = "{}"
[defaults]
every = "1h"
[resource.recipes]
path        = "/api/v2/library/recipes/"
incremental = {{ param = "modified_date__gt", field = "modified_date" }}
[resource.offsets]
path = "/api/v2/library/offsets/"
[resource.cursors]
path = "/api/v2/library/cursors/"
[resource.bare]
path = "/api/v2/library/bare/"
)",
                        service.url(), site.directory() / "mirrors", site.directory() / "tokens", site.socket());
        for (const std::string library : {"antwerp", "bruges"}) {
            const auto secret = site.directory() / ("secrets/" + library);
            write_file(secret, library + "-secret");
            text += fmt::format(
                "[library.{0}]\nclient_id = \"{0}\"\nclient_secret = {{ file = \"{1}\" }}\nredirect_uri = \"{2}\"\n"
                "scopes = [\"accounts\", \"library\"]\n",
                library, secret, service.redirect_uri());
        }
        site.write_config(text);
        daemon = site.start_ready();
    }

    // Sealed sets are a minute too young to be refreshed once more at once.
    void import_sets(bool sealed = true)
    {
        for (const std::string library : {"antwerp", "bruges"}) {
            std::vector<std::string> line = {"auth", "import", library};
            if (!sealed) {
                line.push_back("--no-seal");
            }
            site.ctl_done(line, service.token_response(library));
        }
        site.ctl_done({"wait", "--timeout", "5m"});
    }

    std::string access_token()
    {
        auto token = site.ctl_done({"auth", "token", "antwerp"});
        return token.substr(0, token.find('\n'));
    }

    ReferenceService service;
    Site site;
    std::unique_ptr<DaemonProcess> daemon;
};

const auto tables = {"recipes", "offsets", "cursors", "bare"};

// A word where the packages are missing, as beside a build by hand; contrib/test installs them.
bool is_installed()
{
    if (!ReferenceService::is_installed()) {
        WARN("not run: python3-django-oauth-toolkit, python3-djangorestframework and gunicorn are not installed");
        return false;
    }
    return true;
}

}  // namespace

TEST_CASE("a service that nobody here wrote is mirrored value by value, through all of its kinds of list")
{
    if (!is_installed()) {
        return;
    }
    Reference reference;
    auto& [service, site, daemon] = reference;
    reference.import_sets();
    // Ten rows, for the length of a page has another name there than was thought; then 200 a page; and a look back.
    CHECK(site.sql("SELECT pages FROM _runs WHERE resource = 'offsets' AND result = 'published' ORDER BY rowid") ==
          "9");
    service.change("add", "antwerp", 7);
    service.change("change", "antwerp", 5);
    service.change("delete", "antwerp", 3);
    for (const auto* wanted : {"--full", "--full"}) {  // a row leaves after two walks that lack it
        site.ctl_done({"sync", "antwerp", wanted});
    }
    const auto token = reference.access_token();
    CHECK(daemon->stop().code == 0);
    const auto items = service.items(token);
    REQUIRE(items.size() == ReferenceService::rows + 4);
    for (const auto* table : tables) {
        INFO(table);
        CHECK(site.sql(std::string("SELECT count(*) FROM ") + table) == std::to_string(items.size()));
        CHECK(differing_rows(site, table, items) == 0);
    }
    CHECK(site.sql("SELECT count(*) FROM recipes", "bruges") == std::to_string(ReferenceService::rows));
}

TEST_CASE("at that service a token that ends costs exactly one refresh, and a set that is revoked needs a person")
{
    if (!is_installed()) {
        return;
    }
    Reference reference;
    auto& [service, site, daemon] = reference;
    reference.import_sets(false);
    service.change("expire", "antwerp");
    site.ctl_done({"sync", "antwerp"});
    const auto after = service.change("look", "antwerp");
    CHECK(after.find("posts")->text == "1");
    CHECK(after.find("live_sets")->text == "1");
    service.change("revoke", "bruges");
    CHECK(site.ctl({"sync", "bruges"}).code != 0);
    const auto said = site.ctl({"auth", "status", "bruges"});
    CHECK(said.code == 2);
    CHECK(said.out.find("shelfctl auth import bruges") != std::string::npos);
    CHECK(site.ctl({"auth", "status", "antwerp"}).code == 0);
    site.ctl_done({"sync", "antwerp"});
}

TEST_CASE(
    "a refresh whose answer is lost there is said to be lost, and repeated where the service gives a grace period")
{
    if (!is_installed()) {
        return;
    }
    const auto* const grace = GENERATE("0", "120");
    INFO("grace " << grace);
    Reference reference(ReferenceService::Settings{{"SERVICE_GRACE", grace}});
    auto& [service, site, daemon] = reference;
    reference.import_sets(false);
    service.change("expire", "antwerp");
    service.change("lose", "antwerp");
    site.ctl({"sync", "antwerp", "recipes"});
    const auto said = site.ctl({"auth", "status", "antwerp"});
    INFO(said.out);
    if (grace == std::string("0")) {
        CHECK(said.code == 2);
        CHECK(said.out.find("antwerp: lost") != std::string::npos);
        CHECK(said.out.find("shelfctl auth import antwerp") != std::string::npos);
    } else {
        CHECK(said.code == 0);
        CHECK(said.out.find("antwerp: good, generation 2") != std::string::npos);
        site.ctl_done({"sync", "antwerp", "recipes"});
    }
    CHECK(service.change("look", "antwerp").find("live_sets")->text == "1");
}

TEST_CASE("throttled by that service, the daemon waits as it is told, and every table becomes whole")
{
    if (!is_installed()) {
        return;
    }
    Reference reference(ReferenceService::Settings{{"SERVICE_RATE", "20/s"}});
    reference.import_sets();
    for (const auto* table : tables) {
        CHECK(reference.site.sql(std::string("SELECT count(*) FROM ") + table) ==
              std::to_string(ReferenceService::rows));
    }
    CHECK(reference.daemon->log().find("lost") == std::string::npos);
}

TEST_CASE("a person logs in at that service, and its code becomes a token set")
{
    if (!is_installed()) {
        return;
    }
    Reference reference;
    auto& [service, site, daemon] = reference;
    const auto login = site.begin_ctl({"auth", "login", "antwerp"});
    daemon->await("the address is printed", [&] { return login->output().find("Waiting") != std::string::npos; });
    const auto begin = login->output().find("http://");
    const auto address = login->output().substr(begin, login->output().find('\n', begin) - begin);
    const auto answer = plain_get(address);
    INFO(login->output() << answer);
    const auto sent_back = header_of(answer, "Location");
    REQUIRE(sent_back.starts_with(service.redirect_uri() + "?code="));
    CHECK(plain_get(sent_back).starts_with("HTTP/1.1 200 "));
    CHECK(login->wait() == 0);
    site.ctl_done({"wait", "antwerp", "--timeout", "1m"});
    CHECK(site.sql("SELECT count(*) FROM recipes") == std::to_string(ReferenceService::rows));
}

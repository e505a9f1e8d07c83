// A token set by logging in: the real programs, and this test as the browser.
#include "site.hpp"
#include "support/catch.hpp"
#include "support/plain_get.hpp"

#include <fmt/format.h>

#include <chrono>

using namespace shelfd;

namespace {

// The address that shelfctl printed.
std::string printed_address(const std::string& output)
{
    const auto begin = output.find("http://");
    return begin == std::string::npos ? "" : output.substr(begin, output.find('\n', begin) - begin);
}

void configure(Site& site, const std::string& redirect_uri)
{
    site.write_config(site.config_text({"antwerp"}) +
                      fmt::format("redirect_uri = \"{}\"\nscopes = [\"accounts\", \"library\"]\n", redirect_uri));
    site.service().world()->library("lib01").redirect_uris = {redirect_uri};
}

}  // namespace

TEST_CASE("a person logs in with a browser, and the library is mirrored with a set that nobody else has seen")
{
    Site site;
    const auto redirect_uri = fmt::format("http://127.0.0.1:{}/back/", free_port());
    configure(site, redirect_uri);
    site.service().world()->consent = sim::Consent::automatic;
    auto daemon = site.start_ready();
    CHECK(site.ctl({"auth", "status"}).code == 2);

    const auto login = site.begin_ctl({"auth", "login", "antwerp"});
    daemon->await("the address is printed", [&] { return login->output().find("Waiting") != std::string::npos; });
    const auto sent_back = header_of(plain_get(printed_address(login->output())), "Location");
    REQUIRE(sent_back.starts_with(redirect_uri + "?code="));
    CHECK(plain_get(sent_back).starts_with("HTTP/1.1 200 "));
    const auto ended = login->wait();
    INFO(login->output());
    CHECK(ended == 0);
    CHECK(login->output().find("needs no sealing") != std::string::npos);

    const auto audit = site.service().world()->audit_report();
    CHECK(audit.exchanges == 1);
    CHECK(audit.refreshes == 0);
    site.ctl_done({"wait", "antwerp", "--timeout", "1m"});
    CHECK(site.ctl({"auth", "status"}).code == 0);
    const auto code = sent_back.substr(sent_back.find("code=") + 5, 30);
    CHECK(login->output().find(code) == std::string::npos);
    CHECK(daemon->log().find(code) == std::string::npos);
}

TEST_CASE("a code that is pasted late, twice, or not at all is refused in words, and the set before goes on")
{
    Site site;
    configure(site, "http://127.0.0.1:1/");
    site.service().world()->consent = sim::Consent::automatic;
    auto daemon = site.start_synced();
    const auto get_code = [&] {
        const auto shown = site.ctl({"auth", "login", "antwerp", "--paste"}, "nonsense words").out;
        // Another state and another verifier: so the code is only good for a refusal.
        const auto back = header_of(plain_get(printed_address(shown)), "Location");
        return back.substr(back.find("code=") + 5, 30);
    };
    const auto refused = site.ctl({"auth", "login", "antwerp", "--paste"}, get_code());
    CHECK(refused.code == 2);
    CHECK(refused.err.find("valid for one minute, works once") != std::string::npos);
    CHECK(refused.err.find("shelfctl auth login antwerp") != std::string::npos);
    CHECK(site.ctl({"auth", "login", "antwerp", "--paste"}, "").code == 64);
    site.ctl_done({"sync", "antwerp"});
    CHECK(site.ctl({"auth", "status"}).code == 0);
    CHECK(site.service().world()->audit_report().reuses_of_spent == 0);
}

TEST_CASE("a refusal on the page of the service ends the login with its reason")
{
    Site site;
    const auto redirect_uri = fmt::format("http://127.0.0.1:{}/", free_port());
    configure(site, redirect_uri);
    site.service().world()->consent = sim::Consent::refused;
    auto daemon = site.start_ready();
    const auto login = site.begin_ctl({"auth", "login", "antwerp"});
    daemon->await("the address is printed", [&] { return login->output().find("Waiting") != std::string::npos; });
    CHECK(plain_get(header_of(plain_get(printed_address(login->output())), "Location")).starts_with("HTTP/1.1 200 "));
    CHECK(login->wait() == 1);
    CHECK(login->output().find("access_denied") != std::string::npos);
    CHECK(site.service().world()->audit_report().token_posts == 0);
}

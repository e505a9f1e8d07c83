// A token set by logging in: the real programs, and this test as the browser.
#include "site.hpp"
#include "support/catch.hpp"
#include "support/plain_get.hpp"
#include "support/terminal_process.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <regex>

#include <sys/stat.h>

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

TEST_CASE("a login gives up in time also where it waits for a paste")
{
    Site site;
    configure(site, "http://127.0.0.1:1/");
    auto daemon = site.start_ready();
    // An input that stays open and brings nothing.
    const auto silent = site.directory() / "silent";
    REQUIRE(mkfifo(silent.c_str(), 0600) == 0);
    const auto late = site.ctl({"auth", "login", "antwerp", "--paste", "--timeout", "1s"}, "",
                               {"/usr/bin/timeout", "60", "/bin/sh", "-c", "exec \"$@\" <>" + silent, "sh"});
    INFO(late.out << late.err);
    CHECK(late.code == 75);
    CHECK(late.err.find("the browser did not return within") != std::string::npos);
}

TEST_CASE("shelfctl leaves no core file, and the browser that it starts may")
{
    Site site;
    configure(site, "http://127.0.0.1:1/");
    auto daemon = site.start_ready();
    const auto& directory = site.directory();
    const auto seen = directory / "seen";
    REQUIRE(mkfifo(seen.c_str(), 0600) == 0);
    std::filesystem::create_directory(directory / "bin");
    write_file(directory / "bin/xdg-open", "#!/bin/sh\nulimit -S -c >" + seen + "\n", 0755);
    auto environment = clean_environment();
    environment["PATH"] = directory / "bin:/usr/bin:/bin";
    const auto line = fmt::format("ulimit -S -c \"$(ulimit -H -c)\"; ulimit -S -c >{}; exec {} auth login antwerp "
                                  "--paste --open --config {}",
                                  directory / "before", built_program("shelfctl"), site.config_file());
    TerminalProcess login({"/bin/sh", "-c", line}, environment);
    const bool asks = login.shows("Paste the code, or ");
    INFO(login.screen());
    REQUIRE(asks);
    REQUIRE(login.screen().find("no browser could be started") == std::string::npos);
    CHECK(std::regex_search(read_file(fmt::format("/proc/{}/limits", login.pid())),
                            std::regex("Max core file size +0 ")));
    CHECK(read_file(seen) == read_file(directory / "before"));
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

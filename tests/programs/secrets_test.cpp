// Nothing secret is told, logged, or left in any file but the two kinds that are for it.
#include "site.hpp"
#include "support/catch.hpp"
#include "support/plain_get.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <filesystem>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace shelfd;

namespace {

namespace fs = std::filesystem;

std::string ask_socket(const std::string& path, const std::string& target)
{
    const int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    const auto* generic = static_cast<const sockaddr*>(static_cast<const void*>(&address));
    const auto request = fmt::format("GET {} HTTP/1.1\r\nHost: shelfd\r\nConnection: close\r\n\r\n", target);
    std::string answer;
    if (connect(connection, generic, sizeof address) == 0 &&
        write(connection, request.data(), request.size()) == static_cast<ssize_t>(request.size())) {
        std::array<char, 4096> buffer{};
        for (auto size = read(connection, buffer.data(), buffer.size()); size > 0;
             size = read(connection, buffer.data(), buffer.size())) {
            answer.append(buffer.data(), static_cast<std::size_t>(size));
        }
    }
    close(connection);
    return answer;
}

// Which of the secrets a text has, by number, so that a failing test tells none.
std::vector<std::size_t> found_in(const std::string& text, const std::vector<std::string>& secrets)
{
    std::vector<std::size_t> found;
    for (std::size_t number = 0; number < secrets.size(); ++number) {
        if (text.find(secrets[number]) != std::string::npos) {
            found.push_back(number);
        }
    }
    return found;
}

// The files made for secrets: what the daemon reads credentials from, and its journals.
bool is_for_secrets(const fs::path& relative)
{
    const auto name = relative.filename().string();
    return *relative.begin() == "secrets" || (*relative.begin() == "tokens" && name.starts_with("journal."));
}

std::size_t check_files(Site& site, const std::vector<std::string>& secrets)
{
    std::size_t looked_at = 0;
    const fs::path root = site.directory().path();
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
        const auto relative = fs::relative(entry.path(), root);
        if (entry.is_regular_file() && !is_for_secrets(relative)) {
            INFO(relative.string());
            CHECK(found_in(read_file(entry.path().string()), secrets).empty());
            ++looked_at;
        }
    }
    return looked_at;
}

// Whatever can go wrong with tokens, so that whoever is tempted to quote one has a reason.
void provoke(Site& site)
{
    auto& service = site.service();
    const auto old = service.world()->view_set("lib01");
    service.world()->expire_access("lib01");
    site.ctl_done({"sync", "antwerp"});
    site.ctl({"auth", "import", "antwerp"}, paste_of(old));
    site.ctl({"auth", "import", "antwerp"}, "access_token=" + old.access_token + "\nrefresh_token\n");
    site.ctl({"auth", "import", "antwerp"}, "{\"access_token\": \"" + old.access_token);
    site.ctl({"auth", "import", "ghent"}, paste_of(old));
    // The set of one library for the other.
    site.ctl({"auth", "import", "bruges"}, paste_of(service.world()->view_set("lib01")));
    sim::Fault echo;
    echo.path = recipes_path;
    echo.status = 500;
    echo.body = "<html>Authorization: Bearer " + service.world()->view_set("lib01").access_token + "</html>";
    service.world()->faults.add(echo);
    site.ctl({"sync", "antwerp"});
    service.world()->revoke_set("lib02");
    site.ctl({"sync", "bruges"});
}

// From the address to the set; the code, which the service told this test as it tells a browser.
std::string log_in(Site& site, DaemonProcess& daemon)
{
    const auto redirect_uri = fmt::format("http://127.0.0.1:{}/", free_port());
    site.write_config(site.config_text({"antwerp", "bruges"}) +
                      fmt::format("redirect_uri = \"{}\"\nscopes = [\"accounts\", \"library\"]\n", redirect_uri));
    site.service().world()->library("lib02").redirect_uris = {redirect_uri};
    site.service().world()->consent = sim::Consent::automatic;
    site.ctl_done({"reload"});
    const auto login = site.begin_ctl({"auth", "login", "bruges"});
    daemon.await("the address is printed", [&] { return login->output().find("Waiting") != std::string::npos; });
    const auto shown = login->output();
    const auto begin = shown.find("http://");
    const auto back = header_of(plain_get(shown.substr(begin, shown.find('\n', begin) - begin)), "Location");
    const auto sent = plain_get(back);
    CHECK(login->wait() == 0);
    const auto code = back.find("code=") + 5;
    return back.substr(code, back.find('&', code) - code);
}

}  // namespace

TEST_CASE("no secret that the service ever issued is in a log, an answer, a mirror or any file not made for it")
{
    Site site({.libraries = {"antwerp", "bruges"}});
    auto daemon = site.start_synced();
    provoke(site);
    const auto code = log_in(site, *daemon);
    std::string told;
    for (const std::vector<std::string>& verb : {std::vector<std::string>{"status", "--all"},
                                                 {"status", "--json"},
                                                 {"auth", "status"},
                                                 {"auth", "status", "--json"},
                                                 {"config", "show", "--origin"},
                                                 {"config", "check"},
                                                 {"doctor", "--all"},
                                                 {"log", "antwerp", "--all"},
                                                 {"bugreport", "-", "--hosts"},
                                                 {"reload"}}) {
        site.ctl(verb);
    }
    CHECK(site.printed().find("== mirrors\nantwerp: ") != std::string::npos);
    for (const char* target : {"/v1/status", "/metrics", "/healthz", "/nothing"}) {
        const auto answer = ask_socket(site.socket(), target);
        CHECK(answer.starts_with("HTTP/1.1 "));
        told += answer;
    }
    told += read_file(fmt::format("/proc/{}/cmdline", daemon->pid()));
    told += read_file(fmt::format("/proc/{}/environ", daemon->pid()));

    auto secrets = site.service().world()->tokens.secrets();
    REQUIRE(secrets.size() >= 6);
    REQUIRE(code.size() > 10);
    secrets.push_back(code);
    // The search finds what is there.
    REQUIRE(found_in("x" + secrets.front(), secrets) == std::vector<std::size_t>{0});
    CHECK(found_in(told, secrets).empty());
    CHECK(found_in(site.printed(), secrets).empty());
    CHECK(check_files(site, secrets) > 5);
    CHECK(daemon->stop().code == 0);
    CHECK(check_files(site, secrets) > 5);
}

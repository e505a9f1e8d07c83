// What a service sends, or a machine lacks, ends no daemon that could go on; and one that cannot start says why.
#include "site.hpp"
#include "storage/sqlite.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <set>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

sim::Fault malformed_page(std::string body)
{
    sim::Fault fault;
    fault.path = recipes_path;
    fault.library = "lib01";
    fault.times = std::nullopt;
    fault.status = 200;
    fault.content_type = "application/json";
    fault.body = std::move(body);
    return fault;
}

// Until it serves or has ended; whether it serves.
bool comes_up(DaemonProcess& daemon)
{
    for (int i = 0; i < 3000 * slowness; ++i) {
        if (daemon.ends_within(10ms)) {
            return false;
        }
        // Told by the log: without descriptors the service manager hears of it later.
        if (daemon.log().find(" serves 1 library from ") != std::string::npos) {
            return true;
        }
    }
    throw std::runtime_error("it neither serves nor ends\n" + daemon.log());
}

}  // namespace

TEST_CASE("a malformed page of one library ends no daemon: the others are synced, and a run of everything once ends")
{
    Site site({.world = {.rows_of = {{"library/recipes", 20}}}, .libraries = {"antwerp", "bruges"}});
    auto daemon = site.start_synced();
    const auto pid = daemon->pid();
    for (const auto* body : {R"({"next":nothing})", R"({"count":nan,"next":null,"results":[]})"}) {
        INFO(body);
        site.service().world()->faults.add(malformed_page(body));
        site.service().world()->reset_audit();
        auto waiting = site.begin_ctl({"sync", "antwerp", "recipes", "--full"});
        daemon->await("the page is asked for twice",
                      [&] { return site.service().world()->audit_report().count("GET", recipes_path, "lib01") >= 2; });
        site.ctl_done({"sync", "bruges", "recipes", "--full"});
        site.service().world()->faults.clear();
        waiting->wait();
    }
    CHECK(daemon->pid() == pid);
    CHECK_FALSE(daemon->ends_within(0ms));
    site.ctl_done({"sync", "antwerp", "recipes", "--full"});
    CHECK(site.ctl({"status"}).code == 0);
    CHECK(daemon->stop().code == 0);

    site.service().world()->faults.add(malformed_page(R"({"next":nothing})"));
    site.service().world()->reset_audit();
    auto once = site.start({"--once"});
    once->await("the page is asked for",
                [&] { return site.service().world()->audit_report().count("GET", recipes_path, "lib01") >= 1; });
    site.service().world()->faults.clear();
    const auto status = once->wait();
    INFO(once->log());
    CHECK(status.code == 0);
}

TEST_CASE("a page that states a wrong length is an error of the service, and never a shorter list")
{
    Site site({.world = {.rows_of = {{"library/recipes", 20}}}});
    auto daemon = site.start_synced();
    const std::string as_of = "SELECT as_of FROM freshness WHERE resource = 'recipes'";
    const auto page = site.ctl_done({"get", "antwerp", recipes_path});
    for (const auto* length : {"2", "40", "-1", "many"}) {
        INFO(length);
        sim::Fault fault;
        fault.path = recipes_path;
        fault.times = std::nullopt;
        fault.body = page;
        fault.headers = {{"Content-Length", length}};  // after the right one
        const auto before = site.sql(as_of);
        site.service().world()->faults.add(fault);
        site.service().world()->reset_audit();
        auto waiting = site.begin_ctl({"sync", "antwerp", "recipes", "--full"});
        daemon->await("the page is asked for twice",
                      [&] { return site.service().world()->audit_report().count("GET", recipes_path, "lib01") >= 2; });
        CHECK(site.sql("SELECT count(*) FROM recipes") == "20");
        CHECK(site.sql(as_of) == before);
        const auto status = site.ctl({"status", "--json"}).out;
        INFO(status);
        CHECK(status.find("Content-Length") != std::string::npos);
        site.service().world()->faults.clear();
        CHECK(waiting->wait() == 0);
        CHECK(site.sql("SELECT count(*) FROM recipes") == "20");
    }
    CHECK(site.ctl({"status"}).code == 0);
}

TEST_CASE("with few file descriptors the daemon serves, or ends with 74 and says what it lacks")
{
    Site site;
    CHECK(site.start_synced()->stop().code == 0);
    std::size_t served = 0;
    std::size_t ended = 0;
    for (const int most : {4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 24, 26, 28, 30, 34, 38, 48, 64}) {
        auto daemon = site.start({}, {"/usr/bin/prlimit", fmt::format("--nofile={}", most)});
        const bool serves = comes_up(*daemon);
        const auto status = serves ? daemon->stop() : daemon->wait();
        INFO(most << " descriptors\n" << daemon->log());
        if (daemon->log().find("error while loading shared libraries") != std::string::npos) {
            continue;  // it never came to our first line
        }
        CHECK(status.code == (serves ? 0 : 74));
        served += serves ? 1 : 0;
        ended += serves ? 0 : 1;
    }
    CHECK(served > 0);
    CHECK(ended > 0);
}

TEST_CASE("with few file descriptors a run of everything once is done, or says that this machine lacks them")
{
    Site site;
    CHECK(site.start_synced()->stop().code == 0);
    std::set<int> codes;
    for (int most = 10; most <= 30; ++most) {
        auto once = site.start({"--once"}, {"/usr/bin/prlimit", fmt::format("--nofile={}", most)});
        const auto status = once->wait();
        INFO(most << " descriptors\n" << once->log());
        if (once->log().find("error while loading shared libraries") != std::string::npos) {
            continue;
        }
        CHECK((status.code == 0 || status.code == 1 || status.code == 74));
        CHECK((status.code == 0 || once->log().find("Too many open files") != std::string::npos));
        codes.insert(status.code);
    }
    CHECK(codes.contains(0));
    CHECK(codes.contains(74));
}

TEST_CASE("a library whose mirror a newer shelfd made does not end the daemon, alone as it may be, and status says so")
{
    Site site;
    CHECK(site.start_synced()->stop().code == 0);
    {
        auto database = must(storage::Database::open(site.mirror(), storage::OpenMode::read_write_create));
        must(database.execute("PRAGMA user_version = 1000000"));
    }
    auto daemon = site.start_ready();
    const auto status = site.ctl({"status"});
    INFO(status.out << daemon->log());
    CHECK(status.code == 2);
    CHECK(status.out.find("antwerp: not running, since ") != std::string::npos);
    CHECK(status.out.find("was written by a newer shelfd") != std::string::npos);
    CHECK(daemon->stop().code == 0);
}

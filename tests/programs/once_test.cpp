// shelfd --once: every schedule once, on one thread, and out.
#include "site.hpp"
#include "support/catch.hpp"

#include <chrono>
#include <filesystem>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

const std::string two_resources = "[resource.recipes]\npath = \"/api/v2/library/recipes/\"\n"
                                  "[resource.outlets]\npath = \"/api/v2/inventory/outlets/\"\n";

std::size_t threads_of(pid_t pid)
{
    std::size_t threads = 0;
    for ([[maybe_unused]] const auto& entry :
         std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
        ++threads;
    }
    return threads;
}

std::uint64_t requests_for(Site& site, const std::string& path)
{
    return site.service().world()->audit_report().count("GET", path, "lib01");
}

}  // namespace

TEST_CASE("shelfd --once syncs everything on one thread and exits 0 when all is fresh")
{
    Site site({.world = {.rows_of = {{"library/recipes", 300}}}, .resources = two_resources});
    CHECK(site.start_synced()->stop().code == 0);
    site.service().world()->reset_audit();
    sim::Fault slow;
    slow.path = recipes_path;
    slow.skip = 1;
    slow.delay = 300ms;
    site.service().world()->faults.add(slow);

    auto once = site.start({"--once"});
    once->await("it waits for the second page", [&] {
        auto world = site.service().world();
        return world->audit_report().count("GET", recipes_path) >= 1 && world->audit_report().in_flight >= 1;
    });
    // A sanitizer's run time may have threads of its own.
    CHECK((slowness > 1 || threads_of(once->pid()) == 1));
    // No socket: a shelfctl that asked would get no answer in time.
    CHECK_FALSE(std::filesystem::exists(site.socket()));
    const auto status = once->wait();
    INFO(once->log());
    CHECK(status.code == 0);
    CHECK(requests_for(site, recipes_path) == 4);
    CHECK(requests_for(site, "/api/v2/inventory/outlets/") > 0);
    CHECK(site.service().world()->audit_report().token_posts == 0);
}

TEST_CASE("shelfd --once exits 1 when a table could not be filled by itself, and 2 when somebody has to act")
{
    Site site({.world = {.rows_of = {{"library/recipes", 300}}}, .resources = two_resources});
    auto without_set = site.start({"--once"});
    CHECK(without_set->wait().code == 2);
    INFO(without_set->log());
    CHECK(without_set->log().find("with the daemon running: shelfctl auth import") != std::string::npos);

    auto daemon = site.start_ready();
    sim::Fault down;
    down.path = recipes_path;
    down.acts = false;
    down.status = 500;
    down.times = std::nullopt;
    site.service().world()->faults.add(down);
    site.import_set();
    site.ctl_done({"sync", "antwerp", "outlets"});
    CHECK(daemon->stop().code == 0);
    auto failing = site.start({"--once"});
    const auto status = failing->wait();
    INFO(failing->log());
    CHECK(status.code == 1);
    CHECK(site.sql("SELECT count(*) FROM recipes") == "0");
    CHECK(site.sql("SELECT state FROM freshness WHERE resource = 'recipes'") == "filling");
    // A list that runs in circles is never taken for whole, though its rows are there.
    site.service().world()->faults.clear();
    site.service().world()->quirks("library/recipes").next_is_self = true;
    auto looping = site.start({"--once"});
    CHECK(looping->wait().code == 1);
    INFO(looping->log());
    CHECK(
        site.sql("SELECT (SELECT count(*) FROM recipes) < 300 AND proven_as_of IS NULL FROM freshness WHERE resource = "
                 "'recipes'") == "1");
}

TEST_CASE("shelfd --once is stopped in order by SIGTERM")
{
    Site site;
    CHECK(site.start_synced()->stop().code == 0);
    site.service().world()->reset_audit();
    sim::Fault slow;
    slow.path = recipes_path;
    slow.delay = 60s;
    site.service().world()->faults.add(slow);
    auto once = site.start({"--once"});
    once->await("a page is asked for", [&] { return site.service().world()->audit_report().in_flight == 1; });
    const auto status = once->stop();
    INFO(once->log());
    CHECK(status.signal == 0);
    CHECK(status.code == 0);  // what there is, is fresh
    CHECK(site.sql("SELECT count(*) FROM recipes") == "100");
}

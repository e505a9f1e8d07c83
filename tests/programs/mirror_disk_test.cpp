// A disk that takes its time, or is not there: the pass waits for it, and nobody else does.
#include "site.hpp"
#include "support/catch.hpp"
#include "traced_run.hpp"

#include <filesystem>
#include <fstream>
#include <set>

using namespace shelfd;

namespace {

// Gives every row at the service this number.
void give_version(Site& site, int version)
{
    site.service().world()->edit("lib01", "library/recipes", change_of_all_recipes(site, version));
}

}  // namespace

TEST_CASE("a disk that takes long for each write holds the pass up, but no reader, no status and no stop")
{
    if (const auto why = why_no_tracing(); !why.empty()) {
        WARN("skipped: " << why);
        return;
    }
    Site site;
    give_version(site, 1);
    CHECK(site.start_synced()->stop().code == 0);
    give_version(site, 2);
    auto daemon = site.start({}, slowing_line({site.mirror(), site.mirror() + "-wal"}, std::chrono::milliseconds(50)));
    daemon->await_ready();

    std::set<std::string> seen;
    int told = 0;
    const auto sync = site.begin_ctl({"sync", "antwerp", "recipes", "--full"});
    while (sync->running()) {
        seen.insert(site.sql("SELECT min(version) || ' to ' || max(version) FROM recipes"));
        told += site.ctl({"status", "antwerp"}).out.find("recipes") != std::string::npos && sync->running() ? 1 : 0;
    }
    INFO(sync->output());
    CHECK(sync->wait() == 0);
    CHECK(told >= 50 / slowness);
    CHECK(seen.count("1 to 1") == 1);
    seen.insert("2 to 2");
    CHECK(seen.size() == 2);
    CHECK(site.sql("SELECT min(version) || ' to ' || max(version) FROM recipes") == "2 to 2");
    CHECK(site.sql("PRAGMA integrity_check") == "ok");

    give_version(site, 3);
    const auto cut = site.begin_ctl({"sync", "antwerp", "recipes", "--full"});
    CHECK(daemon->stop().code == 0);
    cut->wait();
    CHECK(site.sql("SELECT min(version) = max(version) FROM recipes") == "1");
    CHECK(site.sql("PRAGMA integrity_check") == "ok");
}

TEST_CASE("a mirror that cannot be opened any more is a state of its library, until it can")
{
    Site site;
    auto daemon = site.start_synced();
    const std::string place = site.directory() / "mirrors/antwerp";
    std::filesystem::rename(place, place + ".away");
    std::ofstream(place) << "no directory";
    CHECK(site.ctl({"sync", "antwerp"}).code != 0);
    CHECK(site.ctl({"status"}).out.find("antwerp") != std::string::npos);
    std::filesystem::remove(place);
    std::filesystem::rename(place + ".away", place);
    site.ctl_done({"sync", "antwerp"});
    CHECK(site.sql("SELECT count(*) > 0 FROM recipes") == "1");
    CHECK(daemon->stop().code == 0);
}

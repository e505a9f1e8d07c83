// kill -9, as often as one likes.
#include "polling_reader.hpp"
#include "site.hpp"
#include "storage/sqlite.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <random>

using namespace shelfd;

namespace {

constexpr int first_rows = 1500 / (slowness > 1 ? 3 : 1);
constexpr int rows_more = 5;  // with each version

// The list at the service, in versions: every row of a version carries its number, and each has some rows more.
class VersionedList {
public:
    explicit VersionedList(Site& site) : site_(site) { bump(); }

    int version() const { return version_; }
    static int rows_of(int version) { return first_rows + rows_more * version; }

    // All rows at once; only while no pass is unfinished, so that each whole list has one version.
    void bump()
    {
        ++version_;
        auto world = site_.service().world();
        sim::Edit edit;
        for (const auto* row : world->find_list(world->library("lib01"), "library/recipes")->ordered({})) {
            edit.change.push_back(sim::Json::object({{"id", row->id}, {"version", version_}}));
        }
        if (version_ > 0) {
            edit.add.assign(rows_more, sim::Json::object({{"version", version_}}));
        }
        world->edit("lib01", "library/recipes", edit);
    }

private:
    Site& site_;
    int version_ = -1;
};

// "" or what is wrong with the list as it stands: "1505 rows, of versions 0 to 1".
std::string half_list(storage::Database& reader)
{
    auto statement = reader.prepare("SELECT count(*), min(version), max(version) FROM recipes");
    if (!statement) {
        return complaint_about(statement.error());
    }
    const auto stepped = statement->step();
    if (!stepped) {
        return complaint_about(stepped.error());
    }
    const auto rows = statement->integer(0);
    const auto lowest = static_cast<int>(statement->integer(1));
    const auto highest = static_cast<int>(statement->integer(2));
    if (lowest != highest || rows != VersionedList::rows_of(lowest)) {
        return fmt::format("{} rows, of versions {} to {}", rows, lowest, highest);
    }
    return "";
}

std::string integrity(const std::string& path)
{
    auto reader = must(storage::Database::open(path, storage::OpenMode::read_only));
    auto statement = must(reader.prepare("PRAGMA integrity_check"));
    must(statement.step());
    return std::string(statement.text(0));
}

int number_of_kills()
{
    const char* wanted = std::getenv("SHELFD_LONG");
    const bool is_long = wanted != nullptr && std::string(wanted) == "1";
    const int kills = is_long ? 50 : slowness > 1 ? 4 : 10;
    std::cout << "kill -9 in mid-pass: " << kills << " times"
              << (is_long ? "" : " (the short form; SHELFD_LONG=1 makes it 50)") << ", seed 20261121\n";
    return kills;
}

Duration time_of_a_pass(Site& site)
{
    const auto began = std::chrono::steady_clock::now();
    site.ctl_done({"sync", "antwerp"});
    return std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - began);
}

}  // namespace

TEST_CASE(
    "kill -9 at random moments of a pass never breaks the mirror or shows half a list, and the next pass heals it")
{
    Site site({.world = {.rows_of = {{"library/recipes", first_rows}}}});
    VersionedList list(site);
    auto daemon = site.start_synced();
    const auto kills = number_of_kills();
    PollingReader reader(site.mirror(), half_list);

    // How long a pass takes in which every row is new.
    list.bump();
    const auto whole_pass = time_of_a_pass(site);
    std::mt19937_64 random(20261121);
    int in_time = 0;
    for (int kill = 0; kill < kills; ++kill) {
        list.bump();
        site.ctl_done({"sync", "antwerp", "--background"});
        const auto moment =
            Duration(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(whole_pass.count())));
        REQUIRE_FALSE(daemon->ends_within(moment));
        daemon->kill();
        in_time += site.sql("SELECT max(version) FROM recipes") == std::to_string(list.version()) ? 0 : 1;
        REQUIRE(integrity(site.mirror()) == "ok");
        daemon = site.start_ready();
        site.ctl_done({"sync", "antwerp"});
        REQUIRE(site.sql("SELECT max(version) FROM recipes") == std::to_string(list.version()));
        REQUIRE(reader.complaint() == "");
    }
    std::cout << in_time << " of " << kills << " kills came before their pass was published; the reader looked "
              << reader.looks() << " times\n";
    CHECK(in_time > 0);
    CHECK(daemon->stop().code == 0);
    reader.stop();
    CHECK(reader.complaint() == "");
    CHECK(reader.looks() > 0);
    CHECK(site.service().world()->audit_report().reuses_of_spent == 0);
}

// kill -9, as often as one likes.
#include "foreign_reader.hpp"
#include "mirror_comparison.hpp"
#include "polling_reader.hpp"
#include "site.hpp"
#include "storage/sqlite.hpp"
#include "support/catch.hpp"
#include "support/long_form.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <random>

#include <unistd.h>

using namespace shelfd;

namespace {

constexpr int first_rows = 1500 / (slowness > 1 ? 3 : 1);
constexpr int rows_new = 5;   // with each version
constexpr int rows_gone = 3;  // likewise, the oldest; their own addresses deny them
constexpr std::uint64_t pages_of_a_pass = first_rows / 200 + 1;

// The list at the service, in versions: every row of a version carries its number, each has some rows more, and the
// oldest ones of the version before are gone.
class VersionedList {
public:
    explicit VersionedList(Site& site) : site_(site) { bump(); }

    int version() const { return version_; }
    static int rows_of(int version) { return first_rows + (rows_new - rows_gone) * version; }

    // All rows at once; only while no pass is unfinished, so that each whole list has one version.
    void bump()
    {
        ++version_;
        if (version_ > 0) {
            sim::Edit gone;
            for (int row = 0; row < rows_gone; ++row) {
                gone.remove.push_back(++oldest_);
            }
            site_.service().world()->edit("lib01", "library/recipes", gone);
        }
        auto edit = change_of_all_recipes(site_, version_);
        if (version_ > 0) {
            edit.add.assign(rows_new, sim::Json::object({{"version", version_}}));
        }
        site_.service().world()->edit("lib01", "library/recipes", edit);
    }

private:
    Site& site_;
    int version_ = -1;
    std::int64_t oldest_ = 0;
};

const char* const list_query = "SELECT count(*), min(version), max(version) FROM recipes";

// "" or what is wrong with the list: "1505 rows, of versions 0 to 1".
std::string half_list(std::int64_t rows, int lowest, int highest)
{
    const auto is_whole = lowest == highest && rows == VersionedList::rows_of(lowest);
    return is_whole ? "" : fmt::format("{} rows, of versions {} to {}", rows, lowest, highest);
}

std::string look_at_list(storage::Database& reader)
{
    auto statement = reader.prepare(list_query);
    if (!statement) {
        return complaint_about(statement.error());
    }
    const auto stepped = statement->step();
    if (!stepped) {
        return complaint_about(stepped.error());
    }
    return half_list(statement->integer(0), static_cast<int>(statement->integer(1)),
                     static_cast<int>(statement->integer(2)));
}

// "1505|1|1", as the sqlite3 shell prints it.
std::string read_line(const std::string& line)
{
    int rows = 0;
    int lowest = 0;
    int highest = 0;
    if (std::sscanf(line.c_str(), "%d|%d|%d", &rows, &lowest, &highest) != 3) {
        return line;
    }
    return half_list(rows, lowest, highest);
}

std::vector<std::unique_ptr<ForeignReader>> foreign_readers(const std::string& mirror)
{
    std::vector<std::unique_ptr<ForeignReader>> readers;
    const auto add = [&readers](const char* name, const std::string& command,
                                const std::vector<std::string>& under = {}) {
        if (command.empty()) {
            WARN("not installed: " << name);
            return;
        }
        readers.push_back(std::make_unique<ForeignReader>(name, command, under, read_line));
    };
    const auto shell = sqlite_shell_look(mirror, list_query);
    add("sqlite3", shell);
    add("python3", python_look(mirror, list_query));
    if (geteuid() == 0) {
        add("another user's sqlite3", shell, as_reader);
    } else {
        WARN("skipped: another user's reader, only root can start it");
    }
    return readers;
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
    const int kills = is_long_form() ? 200 : slowness > 1 ? 4 : 20;
    std::cout << "kill -9 in mid-pass: " << kills << " times"
              << (is_long_form() ? "" : " (the short form; SHELFD_LONG=1 makes it 200)") << ", seed 20261121\n";
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
    // With a limit, which is never reached, pages of a walk that is killed are kept for the next one.
    site.write_config(site.config_text({"antwerp"}) + "rate_limit = \"100000/min\"\n");
    if (geteuid() == 0) {
        give_to_readers(site.directory() / "mirrors");
    }
    auto daemon = site.start_synced();
    const auto kills = number_of_kills();
    PollingReader reader(site.mirror(), look_at_list);
    const auto others = foreign_readers(site.mirror());

    // How long a pass takes in which every row is new.
    list.bump();
    const auto whole_pass = time_of_a_pass(site);
    std::mt19937_64 random(20261121);
    int in_time = 0;
    for (int kill = 0; kill < kills; ++kill) {
        list.bump();
        const auto pages = site.service().world()->audit_report().count("GET", recipes_path);
        site.ctl_done({"sync", "antwerp", "--background"});
        // Behind any of the pages, the closing look and the rows that are missing included, and then some time on:
        // within a pass or about its publication, however slow the machine is.
        const auto behind = pages + random() % (pages_of_a_pass + 1 + rows_gone + 1);
        daemon->await("the pass is that far",
                      [&] { return site.service().world()->audit_report().count("GET", recipes_path) >= behind; });
        const auto moment =
            Duration(static_cast<std::int64_t>(random() % (static_cast<std::uint64_t>(whole_pass.count()) / 3 + 1)));
        REQUIRE_FALSE(daemon->ends_within(moment));
        daemon->kill();
        in_time += site.sql("SELECT max(version) FROM recipes") == std::to_string(list.version()) ? 0 : 1;
        REQUIRE(integrity(site.mirror()) == "ok");
        daemon = site.start_ready();
        site.ctl_done({"sync", "antwerp"});
        REQUIRE(site.sql("SELECT max(version) FROM recipes") == std::to_string(list.version()));
        REQUIRE(site.sql("SELECT count(*) FROM recipes") == std::to_string(VersionedList::rows_of(list.version())));
        REQUIRE(reader.complaint() == "");
    }
    std::cout << in_time << " of " << kills << " kills came before their pass was published; the reader looked "
              << reader.looks() << " times\n";
    CHECK(in_time > 0);
    CHECK(differing_rows(site, "recipes", items_at(site.service(), "library/recipes")) == 0);
    CHECK(daemon->stop().code == 0);
    reader.stop();
    CHECK(reader.complaint() == "");
    CHECK(reader.looks() > 0);
    for (const auto& other : others) {
        other->stop();
        std::cout << other->name() << " looked " << other->looks() << " times\n";
        CHECK(other->complaint() == "");
        CHECK(other->looks() > 0);
    }
    CHECK(site.service().world()->audit_report().reuses_of_spent == 0);
}

TEST_CASE("killed in mid-walk, the daemon goes on with the pages it had, and asks again only for those under way")
{
    constexpr std::uint64_t pages = 40;
    constexpr std::uint64_t under_way = 8 + 1;  // in_flight, and the page that the mirror takes
    Site site({.world = {.rows_of = {{"library/recipes", 4'000}}}});
    sim::Fault slow;
    slow.path = recipes_path;
    slow.times = std::nullopt;
    slow.delay = std::chrono::milliseconds(20);
    site.service().world()->faults.add(slow);
    // Without a limit nothing is saved by keeping pages.
    site.write_config(site.config_text({"antwerp"}) + "rate_limit = \"1000/min\"\n");
    auto daemon = site.start_ready();
    site.import_set();
    // A page that was sent with the token that the first refresh replaces is answered by a 401 and counts for nothing.
    const auto asked = [&] { return site.service().world()->audit_report().count("GET", recipes_path, "", 0, 200); };
    daemon->await("half of the pages have come", [&] { return asked() >= pages / 2; });
    daemon->kill();
    const auto before = asked();
    REQUIRE(before < pages);
    daemon = site.start_ready();
    site.ctl_done({"wait", "antwerp", "--timeout", "1m"});
    CHECK(site.sql("SELECT count(*) FROM recipes") == "4000");
    CHECK(site.sql("SELECT kind FROM _proofs") == "newest_first");
    INFO(before << " requests before the kill, " << asked() << " in all");
    CHECK(asked() <= pages + 1 + under_way);
    CHECK(daemon->stop().code == 0);
}

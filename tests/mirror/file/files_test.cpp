#include "mirror/file/file_watch.hpp"
#include "mirror/file/paths.hpp"
#include "mirror/file/snapshot.hpp"
#include "mirror/mirror_fixture.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t page_size = 16384;

std::vector<std::string> files_in(const std::string& directory)
{
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
        names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

// Fills the pages after the first with rubbish: the schema can still be read, rows cannot.
void break_file(const std::string& file)
{
    auto bytes = read_file(file);
    REQUIRE(bytes.size() > 3 * page_size);
    std::fill(bytes.begin() + page_size, bytes.end(), '\x5a');
    write_file(file, bytes, 0640);
}

// Page `page`, from 1, turns bad under whoever has the file open.
void break_page(const std::string& file, std::size_t page)
{
    std::fstream opened(file, std::ios::in | std::ios::out | std::ios::binary);
    opened.seekp(static_cast<std::streamoff>((page - 1) * page_size));
    opened << std::string(page_size, '\x5a');
    REQUIRE(opened.flush());
}

// The root page of one table turns bad; the boot is the same, so nobody looks for it. Close with `reopen`.
void break_table(MirrorFixture& fixture, const std::string& table)
{
    must(fixture.mirror->checkpoint(storage::CheckpointMode::truncate));
    const auto file = fixture.file();
    const auto page = std::stoul(fixture.one("SELECT rootpage FROM sqlite_master WHERE name = '" + table + "'"));
    fixture.mirror.reset();
    break_page(file, page);
}

// A mirror of one row that has been set aside once and filled anew.
void break_and_rebuild(MirrorFixture& fixture)
{
    fixture.load({R"({"id":1,"v":"one"})"});
    break_table(fixture, "things");
    fixture.reopen();
    fixture.load({R"({"id":1,"v":"one"})"});
    REQUIRE(fixture.mirror->repairs().size() == 1);
}

const std::string feed_of = "SELECT value FROM _meta WHERE key = 'feed'";

// False where files have no lasting identity: there no copy is recognised.
bool make_copy(const std::string& file, const std::string& copy)
{
    const auto mark = mirror::FileWatch(file).mark();
    if (!storage::is_known(mark)) {
        return false;
    }
    // Some file systems tell a copy only once their clock has ticked.
    do {
        std::filesystem::remove(copy);
        std::filesystem::copy_file(file, copy);
    } while (mark.birth != 0 && mirror::FileWatch(copy).mark().birth == mark.birth);
    return true;
}

}  // namespace

TEST_CASE("after another boot a broken file is set aside, said, and filled anew under another feed")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1,"v":"one"})"});
    const auto feed = fixture.one("SELECT value FROM _meta WHERE key = 'feed'");
    must(fixture.mirror->checkpoint(storage::CheckpointMode::truncate));
    fixture.mirror.reset();
    break_file(fixture.directory / "antwerp/antwerp.db");
    fixture.clock.advance_by(std::chrono::seconds(1));

    fixture.reopen("boot-2");
    const auto notice = fixture.mirror->take_notice();
    REQUIRE(notice);
    INFO(*notice);
    CHECK(notice->starts_with("the mirror of antwerp was broken ("));
    CHECK(notice->find("antwerp.db.broken-2024-01-06T060001Z") != std::string::npos);
    CHECK(fixture.one("SELECT count(*), (SELECT state FROM freshness) FROM things") == "0|filling");
    CHECK(fixture.one("SELECT value FROM _meta WHERE key = 'feed'") != feed);
    CHECK(fixture.load({R"({"id":1,"v":"one"})"}).added == 1);
    CHECK(files_in(fixture.directory / "antwerp").size() == 6);  // the new three and the old three
}

TEST_CASE("a mirror that is removed under the daemon is made anew with its tables, and said, at the next look at it")
{
    const bool rested = GENERATE(false, true);
    INFO("rested: " << rested);
    MirrorFixture fixture;
    fixture.load({R"({"id":1,"v":"one"})"});
    const auto feed = fixture.one("SELECT value FROM _meta WHERE key = 'feed'");
    if (rested) {
        must(fixture.mirror->close_idle());
    }
    SECTION("while a pass is under way it is left alone until that has ended")
    {
        auto pass = fixture.begin();
        std::filesystem::remove_all(fixture.directory / "antwerp");
        must(pass->add_page(R"([{"id":1,"v":"two"}])"));
        (void)pass->publish(complete_proof());
        pass.reset();
    }
    SECTION("between two passes")
    {
        std::filesystem::remove_all(fixture.directory / "antwerp");
    }
    fixture.clock.advance_by(std::chrono::seconds(1));
    const auto summary = must(fixture.mirror->summary("things"));
    REQUIRE(summary);
    CHECK_FALSE(summary->as_of);
    CHECK(fixture.mirror->take_rebuilt());
    CHECK(fixture.mirror->take_notice().value_or("").find("was removed from") != std::string::npos);
    CHECK(fixture.one("SELECT count(*), (SELECT state FROM freshness) FROM things") == "0|filling");
    CHECK(fixture.one("SELECT value FROM _meta WHERE key = 'feed'") != feed);
    CHECK(fixture.load({R"({"id":1,"v":"one"})"}).added == 1);
    CHECK_FALSE(fixture.mirror->take_rebuilt());
}

TEST_CASE("a mirror that is put back from a copy while no daemon runs goes on under another feed, and says so")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1,"v":"one"})"});
    const auto file = fixture.file();
    const auto feed = fixture.one(feed_of);
    must(fixture.mirror->acknowledge({"bi", feed + ":0", "etl"}));
    must(fixture.mirror->checkpoint(storage::CheckpointMode::truncate));
    fixture.mirror.reset();
    const auto copy = fixture.directory / "copy";
    if (!make_copy(file, copy)) {
        WARN("skipped: the file system of the build gives files no lasting identity");
        return;
    }
    fixture.reopen();
    CHECK(fixture.one(feed_of) == feed);
    fixture.load({R"({"id":1,"v":"two"})"});
    must(fixture.mirror->acknowledge({"bi", feed + ":1", "etl"}));
    must(fixture.mirror->checkpoint(storage::CheckpointMode::truncate));
    fixture.mirror.reset();
    for (const char* suffix : {"-wal", "-shm"}) {
        std::filesystem::remove(file + suffix);
    }
    std::filesystem::rename(copy, file);

    fixture.clock.advance_by(std::chrono::seconds(1));
    fixture.reopen();
    CHECK(fixture.mirror->has_news());
    CHECK(fixture.mirror->take_notice() ==
          "the mirror of antwerp is in another file than it was left in: it was restored from a copy, or moved; its "
          "change feed has a new name, and consumers have to read the tables again");
    const auto renewed = fixture.one(feed_of);
    CHECK(renewed != feed);
    CHECK(fixture.one("SELECT v FROM things") == "one");
    REQUIRE(must(fixture.mirror->feed_consumers()).size() == 1);
    CHECK(must(fixture.mirror->feed_consumers())[0].must_read_tables);
    // The same numbers as before the copy was put back.
    fixture.load({R"({"id":1,"v":"three"})"});
    const auto refused = fixture.mirror->acknowledge({"bi", feed + ":1", "etl"});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().text().find("is a position in another feed") != std::string::npos);
    must(fixture.mirror->acknowledge({"bi", renewed + ":1", "etl"}));
    CHECK_FALSE(must(fixture.mirror->feed_consumers())[0].must_read_tables);

    fixture.clock.advance_by(std::chrono::seconds(1));
    fixture.reopen();
    CHECK(fixture.one(feed_of) == renewed);
    CHECK_FALSE(fixture.mirror->take_notice());
    REQUIRE(fixture.mirror->repairs().size() == 1);
    CHECK(fixture.mirror->repairs()[0].aside.empty());
}

TEST_CASE("a torn copy that is put in the place of a mirror is found before its rows are changed, and filled anew")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1,"v":"one"})"});
    const auto file = fixture.file();
    const auto copy = fixture.directory / "copy";
    // No pass reads this table.
    const auto page = std::stoul(fixture.one("SELECT rootpage FROM sqlite_master WHERE name = '_consumers'"));
    must(fixture.mirror->checkpoint(storage::CheckpointMode::truncate));
    fixture.mirror.reset();
    if (!make_copy(file, copy)) {
        WARN("skipped: the file system of the build gives files no lasting identity");
        return;
    }
    break_page(copy, page);
    std::filesystem::rename(copy, file);
    fixture.clock.advance_by(std::chrono::seconds(1));
    fixture.reopen();
    fixture.clock.advance_by(std::chrono::seconds(1));
    CHECK(fixture.load({R"({"id":1,"v":"one"})"}).added == 1);
    REQUIRE(fixture.mirror->repairs().size() == 2);
    CHECK(fixture.mirror->repairs()[0].found.starts_with("was broken ("));
}

TEST_CASE("a mirror is no copy after a VACUUM, a boot or a rename, or if its mark is unknown, and gets its mark again")
{
    const std::string sql = GENERATE("VACUUM", "DELETE FROM _meta WHERE key = 'file_mark'",
                                     "UPDATE _meta SET value = 'unreadable' WHERE key = 'file_mark'",
                                     "UPDATE _meta SET value = '0 0 0 ' WHERE key = 'file_mark'");
    INFO(sql);
    MirrorFixture fixture;
    fixture.load({R"({"id":1,"v":"one"})"});
    const auto file = fixture.file();
    const auto mark = mirror::FileWatch(file).mark();
    if (!storage::is_known(mark)) {
        WARN("skipped: the file system of the build gives files no lasting identity");
        return;
    }
    const std::string mark_of = "SELECT value FROM _meta WHERE key = 'file_mark'";
    CHECK(fixture.one(mark_of) == mirror::to_text(mark));
    const auto feed = fixture.one(feed_of);
    fixture.mirror.reset();
    {
        auto database = must(storage::Database::open(file, storage::OpenMode::read_write_create));
        must(database.execute(sql.c_str()));
    }
    std::filesystem::rename(fixture.directory / "antwerp", fixture.directory / "elsewhere");
    std::filesystem::rename(fixture.directory / "elsewhere", fixture.directory / "antwerp");
    fixture.clock.advance_by(std::chrono::seconds(1));
    fixture.reopen("boot-2");
    CHECK(fixture.one(feed_of) == feed);
    CHECK(fixture.one(mark_of) == mirror::to_text(mark));
    CHECK_FALSE(fixture.mirror->take_notice());
    CHECK(fixture.mirror->repairs().empty());
    fixture.load({R"({"id":1,"v":"two"})"});
    CHECK(fixture.one(feed_of) == feed);
}

TEST_CASE("a mirror that is replaced under the daemon by an older copy is set aside and filled anew")
{
    const bool rested = GENERATE(false, true);
    INFO("rested: " << rested);
    MirrorFixture fixture;
    fixture.load({R"({"id":1,"v":"one"})"});
    must(fixture.mirror->checkpoint(storage::CheckpointMode::truncate));
    std::filesystem::copy_file(fixture.file(), fixture.directory / "copy");
    fixture.load({R"({"id":1,"v":"two"})"});
    if (rested) {
        must(fixture.mirror->close_idle());
    }
    std::filesystem::rename(fixture.directory / "copy", fixture.file());
    CHECK(fixture.load({R"({"id":1,"v":"two"})"}).added == 1);
    CHECK(fixture.mirror->take_rebuilt());
    const auto notice = fixture.mirror->take_notice().value_or("");
    INFO(notice);
    CHECK(notice.find("was replaced by another file; it was renamed to") != std::string::npos);
    CHECK(fixture.item("1") == R"({"id":1,"v":"two"})");
    // What the copy told, and is true no more, is a change of the new feed.
    CHECK(fixture.one("SELECT count(*) FROM _changes") == "1");
}

TEST_CASE("an older copy that is written into a mirror at rest is noticed by how far it is")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1,"v":"one"})"});
    must(fixture.mirror->checkpoint(storage::CheckpointMode::truncate));
    std::filesystem::copy_file(fixture.file(), fixture.directory / "copy");
    const bool is_older = GENERATE(true, false);
    if (is_older) {
        fixture.load({R"({"id":1,"v":"two"})"});
        must(fixture.mirror->checkpoint(storage::CheckpointMode::truncate));
    }
    must(fixture.mirror->close_idle());
    std::filesystem::copy_file(fixture.directory / "copy", fixture.file(),
                               std::filesystem::copy_options::overwrite_existing);
    CHECK(fixture.load({R"({"id":1,"v":"two"})"}).rows == 1);
    CHECK(fixture.mirror->take_rebuilt() == is_older);
    CHECK(fixture.item("1") == R"({"id":1,"v":"two"})");
}

TEST_CASE("what readers need beside the file is made anew, whoever removed it, and nothing is lost with it")
{
    const bool rested = GENERATE(false, true);
    INFO("rested: " << rested);
    MirrorFixture fixture;
    fixture.load({R"({"id":1,"v":"one"})"});
    if (rested) {
        must(fixture.mirror->checkpoint(storage::CheckpointMode::truncate));
        must(fixture.mirror->close_idle());
    }
    std::filesystem::remove(fixture.file() + "-wal");
    std::filesystem::remove(fixture.file() + "-shm");
    must(fixture.mirror->keep_readable());
    CHECK(std::filesystem::exists(fixture.file() + "-wal"));
    CHECK(std::filesystem::exists(fixture.file() + "-shm"));
    const auto reader = must(storage::Database::open(fixture.file(), storage::OpenMode::read_only));
    CHECK(fixture.item("1") == R"({"id":1,"v":"one"})");
    CHECK(fixture.load({R"({"id":1,"v":"two"})"}).changed == 1);
    CHECK_FALSE(fixture.mirror->take_rebuilt());
    CHECK(fixture.one("SELECT v FROM things") == "two");
}

TEST_CASE("a file that is no database at all is set aside when it is opened")
{
    MirrorFixture fixture;
    fixture.mirror.reset();
    const auto file = fixture.directory / "antwerp/antwerp.db";
    std::filesystem::remove(file + "-wal");
    std::filesystem::remove(file + "-shm");
    write_file(file, std::string(40000, 'x'), 0640);
    fixture.reopen();
    CHECK(fixture.mirror->take_notice());
    CHECK(fixture.load({R"({"id":1})"}).added == 1);
}

TEST_CASE("a file that SQLite finds malformed in mid-pass is set aside before the next pass")
{
    MirrorFixture fixture;
    std::string page;
    for (int id = 0; id < 3000; ++id) {
        page += fmt::format("{}{{\"id\":{},\"v\":\"{}\"}}", id == 0 ? "" : ",", id, std::string(100, 'x'));
    }
    fixture.load({page});
    must(fixture.mirror->checkpoint(storage::CheckpointMode::truncate));
    break_table(fixture, "_state_things");
    fixture.reopen();
    CHECK_FALSE(fixture.mirror->take_notice());
    // One that vouches for no row it does not write looks at none before it begins.
    auto pass = must(fixture.mirror->begin_pass("things", {.run_id = "changes",
                                                           .mode = mirror::RunMode::incremental,
                                                           .asks_changes = true,
                                                           .started = fixture.clock.now(),
                                                           .as_of = fixture.clock.now()}));
    const auto added = pass->add_page("[" + page + "]");
    REQUIRE(!added);
    CHECK(added.error().kind() == ErrorKind::corrupt);
    CHECK(pass->publish(complete_proof()).error().kind() == ErrorKind::corrupt);
    pass.reset();
    CHECK(fixture.load({page}).added == 3000);
    CHECK(fixture.mirror->take_notice());
}

TEST_CASE("whichever page of a mirror is broken, it is set aside by itself, and what reads it is true again")
{
    MirrorFixture fixture({{.name = "things"}, {.name = "pairs", .key = {"a", "b"}}});
    std::string page;
    for (int id = 0; id < 600; ++id) {
        page += fmt::format("{}{{\"id\":{},\"v\":\"{}\"}}", id == 0 ? "" : ",", id, std::string(100, 'x'));
    }
    const auto load_all = [&] {
        fixture.load({page});
        fixture.load({R"({"a":1,"b":"x"},{"a":2,"b":"x"})"}, "pairs");
    };
    // As a daemon does it: a pass that meets the damage in its middle is walked again.
    const auto load_until_done = [&] {
        for (int tries = 1;; ++tries) {
            try {
                return load_all();
            } catch (const std::runtime_error&) {
                REQUIRE(tries < 4);
            }
        }
    };
    load_all();
    load_all();
    must(fixture.mirror->checkpoint(storage::CheckpointMode::truncate));
    const auto sound = read_file(fixture.file());
    const auto pages = sound.size() / page_size;
    REQUIRE(pages > 20);
    const auto state = GENERATE(as<std::string>(), "stopped", "open", "at rest");
    INFO(state);
    std::size_t rebuilt = 0;
    for (std::size_t broken = 1; broken <= pages; ++broken) {
        INFO("page " << broken << " of " << pages);
        fixture.mirror.reset();
        for (const auto* suffix : {"-wal", "-shm"}) {
            std::filesystem::remove(fixture.directory / "antwerp/antwerp.db" + suffix);
        }
        write_file(fixture.directory / "antwerp/antwerp.db", sound, 0640);
        if (state != "stopped") {
            fixture.reopen();
            REQUIRE(fixture.mirror->summary("things"));
        }
        if (state == "at rest") {
            must(fixture.mirror->close_idle());
        }
        break_page(fixture.directory / "antwerp/antwerp.db", broken);
        if (state == "stopped") {
            fixture.reopen();
        }
        CHECK(fixture.mirror->summary("things"));
        CHECK(fixture.mirror->discovery("pairs"));
        load_until_done();
        fixture.clock.advance_by(std::chrono::seconds(1));
        CHECK(fixture.one("PRAGMA integrity_check") == "ok");
        CHECK(fixture.one("SELECT count(*), (SELECT count(*) FROM pairs) FROM things") == "600|2");
        CHECK(fixture.one("SELECT count(*) FROM freshness WHERE state = 'fresh'") == "2");
        rebuilt += fixture.mirror->take_rebuilt() ? 1U : 0U;
    }
    CHECK(rebuilt + 2 >= pages);  // but for pages that nothing is in
}

namespace {

// A list, its details, what it lost, and a ledger.
struct SeveralTables : MirrorFixture {
    SeveralTables()
        : MirrorFixture({{.name = "things", .keep_deleted = true, .detail = mirror::DetailSpec{"url", 7 * 24h}},
                         {.name = "lines", .axis = "t UTC", .begins_at = Instant::from_seconds(0)}})
    {
        load({things(0)});
        load({things(100)});
        load({things(100)});
        load_rest();
        must(mirror->checkpoint(storage::CheckpointMode::truncate));
    }

    static std::string things(int first)
    {
        std::string page;
        for (int id = first; id < 600; ++id) {
            page += fmt::format(R"({}{{"id":{},"url":"/{}/","v":"{}"}})", id == first ? "" : ",", id, id,
                                std::string(100, 'x'));
        }
        return page;
    }

    void load_rest()
    {
        std::vector<mirror::DetailAnswer> answers;
        for (int id = 100; id < 600; ++id) {
            answers.push_back({.key = std::to_string(id),
                               .body = fmt::format(R"({{"id":{},"w":"{}"}})", id, std::string(100, 'y')),
                               .asked = clock.now(),
                               .fetched_at = clock.now()});
        }
        must(mirror->put_details("things", {.run_id = "details", .started = clock.now()}, answers));
        mirror::PassStart start{
            .run_id = "window", .mode = mirror::RunMode::window, .started = clock.now(), .as_of = clock.now()};
        start.slice = mirror::Slice{};
        start.slice->name = "all";
        start.slice->past = 1000;
        start.slice->field = "t";
        start.slice->place_of = [](std::string_view text) {
            return std::optional<std::int64_t>(std::stoll(std::string(text)));
        };
        std::string page;
        for (int id = 0; id < 400; ++id) {
            page += fmt::format(R"({}{{"id":{},"t":"{}","v":"{}"}})", id == 0 ? "" : ",", id, id, std::string(80, 'z'));
        }
        auto pass = must(mirror->begin_pass("lines", start));
        must(pass->add_page("[" + page + "]"));
        must(pass->publish(complete_proof()));
    }

    // As a daemon walks: what fails is walked again.
    void walk_twice()
    {
        for (int walk = 0; walk < 2; ++walk) {
            try {
                load({things(100)});
                load_rest();
            } catch (const std::runtime_error&) {
                REQUIRE(walk == 0);
            }
        }
    }

    // "" when every table can be read from its first byte to its last.
    std::string read_all() const
    {
        try {
            for (const auto& table : sql("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")) {
                (void)sql("SELECT * FROM \"" + table + "\"");
            }
            return one("PRAGMA integrity_check") == "ok" ? "" : "not sound";
        } catch (const std::runtime_error& trouble) {
            return trouble.what();
        }
    }
};

}  // namespace

TEST_CASE(
    "whichever page is overwritten while the daemon is stopped, readers are well after two passes, and it is said")
{
    SeveralTables fixture;
    fixture.mirror.reset();
    const auto file = fixture.directory / "antwerp/antwerp.db";
    const auto sound = read_file(file);
    const auto pages = sound.size() / page_size;
    REQUIRE(pages > 25);
    std::size_t repaired = 0;
    for (std::size_t broken = 1; broken <= pages; ++broken) {
        INFO("page " << broken << " of " << pages);
        fixture.mirror.reset();
        for (const auto* suffix : {"-wal", "-shm"}) {
            std::filesystem::remove(file + suffix);
        }
        write_file(file, sound, 0640);
        break_page(file, broken);
        fixture.reopen();
        fixture.walk_twice();
        CHECK(fixture.read_all() == "");
        CHECK(fixture.one(
                  "SELECT count(*), (SELECT count(*) FROM things_detail), (SELECT count(*) FROM lines) FROM things") ==
              "500|500|400");
        const auto& repairs = fixture.mirror->repairs();
        repaired += repairs.empty() ? 0U : 1U;
        if (!repairs.empty()) {
            CHECK(repairs.front().file == file);
            CHECK(repairs.front().found.starts_with("was broken ("));
            CHECK(std::filesystem::exists(repairs.front().aside));
        }
        fixture.clock.advance_by(std::chrono::seconds(1));
    }
    CHECK(repaired + 2 >= pages);  // but for pages that nothing is in
}

TEST_CASE("what was done to a mirror is kept for a week, across restarts and further repairs")
{
    MirrorFixture fixture;
    break_and_rebuild(fixture);
    const auto first = fixture.mirror->repairs().front();
    CHECK(first.found.starts_with("was broken ("));
    CHECK(first.done == "it was renamed to " + first.aside + ", and the mirror is filled again");
    fixture.reopen();
    REQUIRE(fixture.mirror->repairs().size() == 1);
    CHECK(fixture.mirror->repairs().front().done == first.done);
    fixture.clock.advance_by(6 * 24h);
    break_table(fixture, "_state_things");
    fixture.reopen();
    fixture.load({R"({"id":1,"v":"one"})"});
    CHECK(fixture.mirror->repairs().size() == 2);
    fixture.clock.advance_by(2 * 24h);
    break_table(fixture, "_state_things");
    fixture.reopen();
    fixture.load({R"({"id":1,"v":"one"})"});
    fixture.reopen();
    CHECK(fixture.mirror->repairs().size() == 2);
}

TEST_CASE("what was done to a mirror is kept when its file is damaged again while the daemon is stopped")
{
    MirrorFixture fixture;
    break_and_rebuild(fixture);
    const auto first = fixture.mirror->repairs().front().at;
    fixture.clock.advance_by(1h);
    fixture.mirror.reset();
    {
        auto foreign = must(
            storage::Database::open(fixture.directory / "antwerp/antwerp.db", storage::OpenMode::read_write_create));
        must(foreign.execute("DROP TABLE things"));
    }
    fixture.reopen();
    fixture.load({R"({"id":1,"v":"one"})"});
    REQUIRE(fixture.mirror->repairs().size() == 2);
    CHECK(fixture.mirror->repairs().front().found.find(" was removed from it") != std::string::npos);
    CHECK(fixture.mirror->repairs().back().at == first);
}

TEST_CASE("a file that was set aside is removed after a week, and nothing else is")
{
    MirrorFixture fixture;
    break_and_rebuild(fixture);
    const auto aside = fixture.mirror->repairs().front().aside;
    const auto other = std::filesystem::path(aside).parent_path() / "things.csv";
    write_file(other, "of somebody");
    for (const auto& [later, is_there] : {std::pair(6 * 24h, true), std::pair(2 * 24h, false)}) {
        fixture.clock.advance_by(later);
        fixture.reopen();
        fixture.load({R"({"id":1,"v":"one"})"});
        CHECK(std::filesystem::exists(aside) == is_there);
        CHECK(std::filesystem::exists(other));
        CHECK(fixture.one("SELECT count(*) FROM things") == "1");
    }
}

TEST_CASE("a table, view or index that somebody dropped is a broken mirror, whenever it was")
{
    MirrorFixture fixture(
        {{.name = "things", .keep_deleted = true, .detail = mirror::DetailSpec{"url", 168h}}, {.name = "others"}});
    const auto load = [&fixture] {
        fixture.load({R"({"id":1,"url":"https://a.test/1/","v":"one"})"});
        fixture.load({R"({"id":1,"v":"one"})"}, "others");
    };
    load();
    must(fixture.mirror->checkpoint(storage::CheckpointMode::truncate));
    const auto* dropped =
        GENERATE("TABLE things", "TABLE _state_things", "TABLE _meta", "TABLE _runs", "TABLE _held", "VIEW freshness",
                 "VIEW _standing", "INDEX _slices_by_name", "TABLE _untold", "TABLE _feed_consumers",
                 "TABLE _queue_things", "TABLE things_deleted", "VIEW things_full");
    const std::string daemon = GENERATE("stopped", "at rest", "with the file open");
    const bool stopped = daemon == "stopped";
    INFO(dropped << ", " << daemon);
    if (stopped) {
        fixture.mirror.reset();
    } else if (daemon == "at rest") {
        must(fixture.mirror->close_idle());
    }
    {
        auto foreign = must(
            storage::Database::open(fixture.directory / "antwerp/antwerp.db", storage::OpenMode::read_write_create));
        must(foreign.execute(fmt::format("DROP {}", dropped)));
        if (daemon != "with the file open") {
            must(foreign.checkpoint(storage::CheckpointMode::truncate));  // else the time of the file tells nothing
        }
    }
    fixture.clock.advance_by(1s);
    if (stopped) {
        fixture.reopen();
    }
    if (daemon == "with the file open") {
        CHECK(fixture.mirror->is_open());  // the next pass notices that somebody else wrote
    } else {
        CHECK(fixture.mirror->summary("things"));
        CHECK(fixture.one("SELECT count(*), (SELECT state FROM freshness WHERE resource = 'things') FROM things") ==
              "0|filling");
    }
    load();
    REQUIRE(fixture.mirror->repairs().size() == 1);
    CHECK(fixture.mirror->repairs().front().found.find(" was removed from it") != std::string::npos);
    CHECK(fixture.one("SELECT count(*), (SELECT count(*) FROM others) FROM things") == "1|1");
}

TEST_CASE("rows that somebody deleted or added are missed by the second full pass at the latest")
{
    MirrorFixture fixture({{.name = "things"}, {.name = "words", .key = {"w"}}});
    const auto load = [&fixture] {
        fixture.load({R"({"id":1},{"id":2},{"id":3})"});
        fixture.load({R"({"w":"one"},{"w":"two"})"}, "words");
    };
    load();
    const auto* sql = GENERATE("DELETE FROM things WHERE id = 2", "INSERT INTO things (id) VALUES (9)",
                               "UPDATE things SET id = 8 WHERE id = 2", "DELETE FROM words WHERE w = 'two'",
                               "UPDATE words SET w = 'three' WHERE w = 'two'");
    INFO(sql);
    must(fixture.mirror->checkpoint(storage::CheckpointMode::truncate));
    must(fixture.mirror->close_idle());
    {
        auto foreign = must(storage::Database::open(fixture.file(), storage::OpenMode::read_write_create));
        must(foreign.execute(sql));
        must(foreign.checkpoint(storage::CheckpointMode::truncate));
    }
    for (int walk = 0; walk < 2; ++walk) {
        try {
            load();
        } catch (const std::runtime_error&) {
            REQUIRE(walk == 0);
        }
    }
    CHECK(fixture.one("SELECT group_concat(id), (SELECT group_concat(w) FROM words) FROM things") == "1,2,3|one,two");
    CHECK(fixture.mirror->repairs().size() == 1);
}

TEST_CASE("damage that no walk over keys meets is found within a week")
{
    MirrorFixture fixture;
    const std::string row = R"({"id":1,"v":")" + std::string(8'300'000, 'x') + "\"}";
    fixture.load({row});
    must(fixture.mirror->checkpoint(storage::CheckpointMode::truncate));
    const auto file = fixture.file();
    fixture.mirror.reset();
    const auto bytes = read_file(file);
    const auto run = std::string(page_size - 100, 'x');
    const auto place = bytes.find(run);
    REQUIRE(place != std::string::npos);
    break_page(file, place / page_size + 2);  // in the middle of the row
    fixture.reopen();
    CHECK(fixture.load({row}).unchanged == 1);
    fixture.clock.advance_by(8 * 24h);
    CHECK(fixture.load({row}).added == 1);
    CHECK(fixture.mirror->repairs().size() == 1);
}

TEST_CASE("a mirror that somebody wrote to is looked at, and kept when nothing is broken")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1,"v":"one"})"});
    must(fixture.mirror->checkpoint(storage::CheckpointMode::truncate));
    must(fixture.mirror->close_idle());
    {
        auto foreign = must(storage::Database::open(fixture.file(), storage::OpenMode::read_write_create));
        must(foreign.execute("CREATE INDEX somebodys ON things (v)"));
        must(foreign.checkpoint(storage::CheckpointMode::truncate));
    }
    CHECK(fixture.load({R"({"id":1,"v":"one"})"}).unchanged == 1);
    CHECK_FALSE(fixture.mirror->take_rebuilt());
}

TEST_CASE(
    "rows that somebody deleted while the mirror is open are missed by the next pass, however lately it was checked")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1},{"id":2},{"id":3})"});
    fixture.load({R"({"id":1},{"id":2},{"id":3})"});
    {
        auto foreign = must(storage::Database::open(fixture.file(), storage::OpenMode::read_write_create));
        must(foreign.execute("DELETE FROM things WHERE id > 1"));
    }
    fixture.clock.advance_by(std::chrono::seconds(1));
    CHECK(fixture.load({R"({"id":1},{"id":2},{"id":3})"}).added == 3);
    CHECK(fixture.one("SELECT count(*) FROM things") == "3");
    CHECK(fixture.mirror->repairs().size() == 1);
}

TEST_CASE("a mirror that is sound as a file, and cannot be read time after time, is begun anew all the same")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1,"v":"one"})"});
    const auto met = Error(ErrorKind::corrupt, "malformed");
    fixture.mirror->mark_suspect(met);
    CHECK(fixture.load({R"({"id":1,"v":"one"})"}).unchanged == 1);
    CHECK_FALSE(fixture.mirror->has_news());
    fixture.mirror->mark_suspect(met);
    CHECK(fixture.load({R"({"id":1,"v":"one"})"}).added == 1);
    CHECK(fixture.mirror->take_notice().value_or("").find("repeatedly cannot be read") != std::string::npos);
}

TEST_CASE("a broken file stays where it is while the one that was set aside before cannot be removed")
{
    const TempDirectory files;
    const auto file = files / "antwerp.db";
    const auto before = file + ".broken-2024-01-01T000000Z";
    write_file(file, "broken");
    // What keeps even root from removing it.
    std::filesystem::create_directory(before);
    write_file(before + "/in the way", "");
    const auto refused = mirror::set_aside(file, Instant::from_seconds(1'704'542'400));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().text().starts_with("cannot remove " + before));
    CHECK(std::filesystem::exists(file));
}

TEST_CASE("what keeps the files of a mirror from being made is said with its errno, as of all files")
{
    const TempDirectory files;
    write_file(files / "file", "");
    const auto directory = files / "file/mirror";
    const auto refused = mirror::prepare_files(directory, directory + "/antwerp.db", {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind() == ErrorKind::storage);
    CHECK(refused.error().system_errno == ENOTDIR);
    CHECK(refused.error().text() == "cannot create " + directory + ": Not a directory (20)");
}

TEST_CASE("passes that are open when a mirror turns out to be broken end, and the next one fills a new file")
{
    MirrorFixture fixture({{.name = "things"}, {.name = "others"}});
    fixture.load({R"({"id":1,"v":"one"})"});
    auto pass = fixture.begin("others");
    must(pass->add_page(R"([{"id":1}])"));
    fixture.mirror->mark_suspect(Error(ErrorKind::corrupt, "malformed"));
    fixture.mirror->mark_suspect(Error(ErrorKind::corrupt, "malformed"));
    const auto added = pass->add_page(R"([{"id":2}])");
    REQUIRE_FALSE(added);
    CHECK(added.error().kind() == ErrorKind::corrupt);
    pass.reset();
    CHECK(fixture.load({R"({"id":1,"v":"one"})"}).unchanged == 1);
}

TEST_CASE("a database that is no mirror is refused")
{
    MirrorFixture fixture;
    fixture.mirror.reset();
    const auto file = fixture.directory / "antwerp/antwerp.db";
    for (const auto* suffix : {"", "-wal", "-shm"}) {
        std::filesystem::remove(file + suffix);
    }
    {
        auto database = must(storage::Database::open(file, storage::OpenMode::read_write_create));
        must(database.execute("CREATE TABLE treasure (x)"));
    }
    const auto opened = mirror::Mirror(fixture.options()).open();
    REQUIRE(!opened);
    CHECK(opened.error().kind() == ErrorKind::usage);
}

TEST_CASE("a WAL without its file is not played into a new one")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1})"});
    const auto file = fixture.file();
    // As after a crash: frames in the WAL, then somebody removes the file alone.
    std::filesystem::copy_file(file + "-wal", fixture.directory / "kept-wal");
    fixture.mirror.reset();
    std::filesystem::remove(file);
    std::filesystem::remove(file + "-wal");
    std::filesystem::rename(fixture.directory / "kept-wal", file + "-wal");
    fixture.reopen();
    CHECK(fixture.one("SELECT count(*) FROM things") == "0");
    CHECK(fixture.one("PRAGMA integrity_check") == "ok");
}

TEST_CASE("a mirror that was emptied or removed while the daemon was stopped is filled again, and that is told")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1})"});
    const auto file = fixture.file();
    fixture.mirror.reset();
    std::string found;
    SECTION("cut to no bytes")
    {
        std::filesystem::resize_file(file, 0);
        found = "was found empty";
    }
    SECTION("removed, and a snapshot of it is left")
    {
        std::filesystem::copy_file(file, mirror::snapshot_path(file));
        std::filesystem::remove(file);
        found = "was removed from ";
    }
    SECTION("removed, and its WAL is left")
    {
        std::filesystem::rename(file, file + "-wal");
        found = "was removed from ";
    }
    fixture.reopen();
    CHECK(fixture.one("SELECT count(*) FROM things") == "0");
    CHECK(fixture.mirror->take_notice().value_or("").find(found) != std::string::npos);
    REQUIRE(fixture.mirror->repairs().size() == 1);
    CHECK(fixture.mirror->repairs().front().found.starts_with(found));
    CHECK(fixture.mirror->repairs().front().done == "the mirror is filled again");
    fixture.reopen();
    CHECK(fixture.mirror->repairs().size() == 1);
}

TEST_CASE("a first mirror is no repair, nor is one that could not be created before")
{
    MirrorFixture fixture;
    CHECK(fixture.mirror->repairs().empty());
    const auto file = fixture.file();
    fixture.mirror.reset();
    std::filesystem::remove_all(fixture.directory / "antwerp");
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit before = {};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    const rlimit tight = {.rlim_cur = 10'000, .rlim_max = before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &tight) == 0);
    mirror::Mirror unfilled(fixture.options("boot-1"));
    const auto declared = unfilled.declare(fixture.specs);
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    REQUIRE_FALSE(declared);
    CHECK_FALSE(std::filesystem::exists(file));
    fixture.reopen();
    CHECK(fixture.mirror->repairs().empty());
    CHECK_FALSE(fixture.mirror->take_notice());
}

TEST_CASE("a daemon that is killed while it creates its first mirror leaves nothing to repair")
{
    // The process dies where a file would get longer than that.
    const rlim_t longest = GENERATE(0, 4095, 4096, 10'000, 40'000, 80'000);
    MirrorFixture fixture;
    fixture.mirror.reset();
    std::filesystem::remove_all(fixture.directory / "antwerp");
    const auto child = ::fork();
    if (child == 0) {
        ::signal(SIGXFSZ, SIG_DFL);
        const rlimit no_core = {.rlim_cur = 0, .rlim_max = 0};
        const rlimit tight = {.rlim_cur = longest, .rlim_max = longest};
        ::setrlimit(RLIMIT_CORE, &no_core);
        ::setrlimit(RLIMIT_FSIZE, &tight);
        mirror::Mirror killed(fixture.options("boot-1"));
        ::_exit(killed.declare(fixture.specs) ? 0 : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGXFSZ);
    REQUIRE(std::filesystem::exists(fixture.directory / "antwerp/antwerp.db"));
    fixture.reopen();
    CHECK(fixture.mirror->repairs().empty());
    CHECK_FALSE(fixture.mirror->take_notice());
    // From now on, one that is found empty was emptied.
    const auto file = fixture.file();
    fixture.mirror.reset();
    for (const auto* suffix : {"-wal", "-shm"}) {
        std::filesystem::remove(file + suffix);
    }
    std::filesystem::resize_file(file, 0);
    fixture.reopen();
    CHECK(fixture.mirror->repairs().size() == 1);
}

TEST_CASE("names that cannot be tables are refused")
{
    MirrorFixture fixture;
    for (const auto* name : {"", "_meta", "sqlite_x", "freshness"}) {
        const std::vector<mirror::ResourceSpec> specs = {{.name = name}};
        const auto declared = fixture.mirror->declare(specs);
        REQUIRE(!declared);
        CHECK(declared.error().kind() == ErrorKind::usage);
    }
    CHECK(fixture.mirror->begin_pass("unknown", {.run_id = "x"}).error().kind() == ErrorKind::usage);
}

TEST_CASE("a mirror at rest has no file open, and wakes by itself")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1})"});
    must(fixture.mirror->close_idle());
    int open_files = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        open_files += std::filesystem::read_symlink(entry, gone).string().starts_with(fixture.file()) ? 1 : 0;
    }
    CHECK(open_files == 0);
    CHECK(fixture.load({R"({"id":1})"}).unchanged == 1);
    auto pass = fixture.begin();
    must(pass->add_page(R"([{"id":2}])"));
    must(fixture.mirror->close_idle());
    CHECK(must(pass->publish(complete_proof())).added == 1);
}

TEST_CASE("what is excluded since a file broke does not come back into the feed from that file")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1,"email":"private","v":1})"});
    break_table(fixture, "_state_things");
    fixture.clock.advance_by(std::chrono::seconds(1));
    fixture.specs[0].exclude = {"email"};
    SECTION("at the same moment") {}
    SECTION("some time after")
    {
        fixture.specs[0].exclude.clear();
        fixture.reopen("boot-2");
        fixture.specs[0].exclude = {"email"};
    }
    fixture.reopen("boot-2");
    fixture.load({R"({"id":1,"email":"private","v":2})"});
    CHECK(fixture.one("SELECT count(*) FROM _changes") == "0");
    CHECK(fixture.item("1") == R"({"id":1,"v":2})");
}

TEST_CASE("what a pass left that a crash ended goes with the next start, of retired resources, too")
{
    MirrorFixture fixture({{.name = "things"}, {.name = "others"}});
    fixture.load({R"({"id":1})"});
    const auto file = fixture.file();
    fixture.mirror.reset();
    {
        auto crashed = must(storage::Database::open(file, storage::OpenMode::read_write_create));
        must(crashed.execute("CREATE TABLE _staging_things (id INTEGER PRIMARY KEY); CREATE TABLE _seen_things (k1);"
                             "CREATE TABLE _staging_others (id INTEGER PRIMARY KEY); CREATE TABLE _seen_others (k1)"));
    }
    fixture.specs = {{.name = "things"}};
    fixture.reopen();
    CHECK(fixture
              .sql("SELECT name FROM sqlite_master WHERE name LIKE '\\_s%ing\\_%' ESCAPE '\\' "
                   "OR name LIKE '\\_seen%' ESCAPE '\\'")
              .empty());
    CHECK(fixture.load({R"({"id":1})"}).unchanged == 1);
    auto pass = fixture.begin();
    must(pass->add_page(R"([{"id":2}])"));
    must(fixture.mirror->declare(fixture.specs));  // not of a pass that is open
    CHECK(must(pass->publish(complete_proof())).added == 1);
}

TEST_CASE("a mirror that began anew says so once, and is filled by full passes alone")
{
    MirrorFixture fixture({{.name = "things"}, {.name = "others"}});
    fixture.load({R"({"id":1})"});
    must(fixture.mirror->checkpoint(storage::CheckpointMode::truncate));
    CHECK_FALSE(fixture.mirror->take_rebuilt());
    fixture.mirror.reset();
    break_file(fixture.directory / "antwerp/antwerp.db");
    fixture.reopen("boot-2");
    CHECK(fixture.mirror->take_rebuilt());
    CHECK_FALSE(fixture.mirror->take_rebuilt());
    const auto partial = fixture.mirror->begin_pass(
        "things", {.run_id = "x", .mode = mirror::RunMode::incremental, .asks_changes = true});
    REQUIRE_FALSE(partial);
    CHECK(partial.error().kind() == ErrorKind::storage);
    fixture.load({R"({"id":1})"});
    CHECK(fixture.mirror->begin_pass("things",
                                     {.run_id = "y", .mode = mirror::RunMode::incremental, .asks_changes = true}));
}

TEST_CASE("the feed of a mirror that began anew begins with what differs from the old file, where that can be read")
{
    MirrorFixture fixture({{.name = "things"}, {.name = "pairs", .key = {"a", "b"}}});
    fixture.load({R"({"id":1,"v":"same","w":[1, 2]},{"id":2,"v":"old"},{"id":3,"v":"gone"},{"id":4,"v":5})"});
    fixture.load({R"({"a":1,"b":"x"})"}, "pairs");
    const auto feed = fixture.one("SELECT value FROM _meta WHERE key = 'feed'");
    const bool readable = GENERATE(true, false);
    break_table(fixture, readable ? "_state_things" : "things");
    fixture.clock.advance_by(std::chrono::seconds(1));
    fixture.reopen("boot-2");
    const auto outcome =
        fixture.load({R"({"id":1,"v":"same","w":[1, 2]},{"id":2,"v":"new","more":true},{"id":4,"v":5},{"id":9})"});
    REQUIRE(fixture.mirror->take_notice());
    CHECK(outcome.added == 4);
    fixture.load({R"({"a":1,"b":"x"},{"a":2,"b":"x"})"}, "pairs");
    CHECK(fixture.one("SELECT value FROM _meta WHERE key = 'feed'") != feed);
    const auto changes = fixture.sql("SELECT resource, item_key, op, before, after FROM _changes ORDER BY seq");
    const std::vector<std::string> of_pairs = {R"(pairs|[2,"x"]|insert|null|{"a":2,"b":"x"})"};
    const std::vector<std::string> all = {
        R"(things|2|update|{"v":"old"}|{"v":"new","more":true})",
        R"(things|9|insert|null|{"id":9})",
        R"(things|3|delete|{"id":3,"v":"gone"}|null)",
        of_pairs[0],
    };
    CHECK(changes == (readable ? all : of_pairs));
    fixture.load({R"({"id":1,"v":"same","w":[1, 2]},{"id":2,"v":"new","more":true},{"id":4,"v":6},{"id":9})"});
    CHECK(fixture.one("SELECT count(*), max(seq) = count(*) FROM _changes") == (readable ? "5|1" : "2|1"));
}

TEST_CASE("what a walk brought that may have missed rows is not compared with the old file, and the next proven one is")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1,"v":1},{"id":2},{"id":3},{"id":7})"});
    break_table(fixture, "_state_things");
    fixture.clock.advance_by(std::chrono::seconds(1));
    fixture.reopen("boot-2");
    auto pass = fixture.begin();
    must(pass->add_page(R"([{"id":1,"v":1},{"id":2},{"id":8}])"));
    auto doubtful = complete_proof();
    doubtful.complete = false;
    must(pass->publish(doubtful));
    pass = fixture.begin();
    must(pass->add_page(R"([{"id":1,"v":2},{"id":2}])"));
    must(pass->publish(doubtful));
    pass.reset();
    CHECK(fixture.one("SELECT count(*) FROM things") == "3");
    CHECK(fixture.one("SELECT count(*) FROM _changes") == "0");
    pass = fixture.begin();
    must(pass->add_page(R"([{"id":1,"v":3},{"id":2},{"id":3},{"id":4}])"));
    auto whole = complete_proof();
    whole.one_answer = true;  // 8, which nobody was told of, goes at once
    must(pass->publish(whole));
    pass.reset();
    CHECK(fixture.sql("SELECT item_key || ' ' || op || ' ' || coalesce(after, '') FROM _changes ORDER BY seq") ==
          std::vector<std::string>{R"(1 update {"v":3})", R"(4 insert {"id":4})", "7 delete "});
    // From now on as ever.
    fixture.load({R"({"id":1,"v":3},{"id":2},{"id":3},{"id":4},{"id":5})"});
    CHECK(fixture.one("SELECT item_key || op FROM _changes ORDER BY seq DESC LIMIT 1") == "5insert");
    CHECK(fixture.one("SELECT count(*) FROM _changes") == "4");
}

TEST_CASE(
    "an old file that breaks where it is compared gives the feed another name, if something was not told till then")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1})"});
    break_table(fixture, "things");
    fixture.clock.advance_by(std::chrono::seconds(1));
    fixture.reopen("boot-2");
    const auto feed = [&fixture] { return fixture.one("SELECT value FROM _meta WHERE key = 'feed'"); };
    const bool proven = GENERATE(true, false);
    auto pass = fixture.begin();
    must(pass->add_page(R"([{"id":1}])"));
    auto proof = complete_proof();
    proof.complete = proven;
    must(pass->publish(proof));
    pass.reset();
    const auto before = feed();
    fixture.clock.advance_by(std::chrono::seconds(1));
    fixture.load({R"({"id":1},{"id":2})"});
    CHECK((feed() == before) == proven);
    CHECK(fixture.one("SELECT count(*) FROM _changes") == (proven ? "1" : "0"));
    fixture.load({R"({"id":1},{"id":2},{"id":3})"});
    CHECK(fixture.one("SELECT count(*) FROM _changes WHERE item_key = '3'") == "1");
}

TEST_CASE("rows that a mirror held or kept before it broke are not told as deleted, for the service may only hide them")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1,"url":"/1/"},{"id":2,"url":"/2/"},{"id":3,"url":"/3/"},{"id":4,"url":"/4/"})"});
    auto pass = fixture.begin();
    must(pass->add_page(R"([{"id":1,"url":"/1/"},{"id":4,"url":"/4/"}])"));
    for (const auto& row : must(pass->missing(5, {"url"}))) {
        pass->add_evidence(row, mirror::Witness::there);
    }
    REQUIRE(must(pass->publish(complete_proof())).held == 2);
    pass.reset();
    must(fixture.mirror->decide("things", {.fate = mirror::HeldFate::keep, .keys = {"3"}}));
    break_table(fixture, "_state_things");
    fixture.clock.advance_by(std::chrono::seconds(1));
    fixture.reopen("boot-2");
    fixture.load({R"({"id":1,"url":"/1/"})"});
    CHECK(fixture.sql("SELECT op || item_key FROM _changes") == std::vector<std::string>{"delete4"});
}

TEST_CASE("rows that are kept after they were deleted outlive a mirror that breaks, where they can be read")
{
    MirrorFixture fixture({{.name = "things", .keep_deleted = true}});
    const auto kept = [&fixture] {
        return fixture.sql("SELECT id, coalesce(v, ''), _deleted_run FROM things_deleted ORDER BY id");
    };
    const auto kept_rows = [&fixture] { return fixture.one("SELECT count(*) FROM things_deleted"); };
    const auto begin_anew = [&fixture] {
        fixture.reopen("boot-2");
        fixture.begin().reset();
        REQUIRE(fixture.mirror->take_notice());
    };
    fixture.load({R"({"id":1},{"id":2,"v":"two"},{"id":3,"v":1.5},{"id":4})"});
    fixture.load({R"({"id":1})"});
    fixture.load({R"({"id":1})"});
    const auto before = kept();
    REQUIRE(before.size() == 3);
    fixture.clock.advance_by(std::chrono::seconds(1));
    SECTION("as they were, until they come back")
    {
        break_table(fixture, "_state_things");
        begin_anew();
        CHECK(kept() == before);
        fixture.reopen("boot-3");
        fixture.load({R"({"id":1},{"id":3,"v":1.5})"});
        CHECK(kept() == std::vector<std::string>{before[0], before[2]});
        fixture.reopen("boot-4");
        CHECK(kept() == std::vector<std::string>{before[0], before[2]});
    }
    SECTION("not with what is excluded since then")
    {
        break_table(fixture, "_state_things");
        fixture.specs[0].exclude = {"v"};
        begin_anew();
        CHECK(kept_rows() == "0");
    }
    SECTION("none of them where they cannot")
    {
        break_table(fixture, "things_deleted");
        begin_anew();
        CHECK(kept_rows() == "0");
        CHECK(fixture.load({R"({"id":1})"}).added == 1);
    }
}

TEST_CASE("a full disk fails a pass, leaves the old rows readable, and is got over without a restart")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1,"v":"old"})"});
    std::string page;
    for (int id = 0; id < 2000; ++id) {
        page += fmt::format("{}{{\"id\":{},\"v\":\"{}\"}}", id == 0 ? "" : ",", id, std::string(500, 'x'));
    }
    auto pass = fixture.begin();
    // A file that may not grow stands in for a disk that is full: write() fails, in the same place.
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit before = {};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    const rlimit tight = {.rlim_cur = fixture.mirror->wal_bytes() + 200'000, .rlim_max = before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &tight) == 0);
    const auto added = pass->add_page("[" + page + "]");
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    REQUIRE(!added);
    CHECK(added.error().kind() == ErrorKind::storage);
    CHECK_FALSE(pass->publish(complete_proof()));
    pass.reset();
    CHECK(fixture.one("SELECT v FROM things") == "old");
    CHECK(fixture.load({page}).rows == 2000);
    CHECK(fixture.one("PRAGMA integrity_check") == "ok");
}

TEST_CASE("changes that readers may have seen are in the file itself, and what changed nothing waits in the WAL")
{
    MirrorFixture fixture;
    const auto without_wal = [&](const std::string& query) {
        const auto copy = fixture.directory / "copy.db";
        for (const char* suffix : {"", "-wal", "-shm"}) {
            std::filesystem::remove(copy + suffix);
        }
        std::filesystem::copy_file(fixture.file(), copy);
        auto database = must(storage::Database::open(copy, storage::OpenMode::read_write_create));
        auto statement = must(database.prepare(query));
        REQUIRE(must(statement.step()));
        return std::string(statement.text(0));
    };
    const std::string changes = "SELECT count(*) FROM _changes";
    const std::string runs = "SELECT count(*) FROM _runs";
    fixture.load({R"({"id":1,"v":"one"})"});
    must(fixture.mirror->checkpoint_feed());
    fixture.load({R"({"id":1,"v":"two"})"});
    CHECK(without_wal(changes) == "0");
    CHECK(must(fixture.mirror->store_state("things", {}, {})).feed_waits);
    CHECK(without_wal(changes) == "0");
    must(fixture.mirror->checkpoint_feed());
    CHECK_FALSE(must(fixture.mirror->store_state("things", {}, {})).feed_waits);
    CHECK(without_wal(changes) == "1");
    CHECK(without_wal(runs) == "2");
    fixture.load({R"({"id":1,"v":"two"})"});
    must(fixture.mirror->checkpoint_feed());
    CHECK(without_wal(runs) == "2");
    CHECK(fixture.one(runs) == "3");
    fixture.load({R"({"id":1,"v":"three"})"});
    must(fixture.mirror->checkpoint_feed());
    CHECK(without_wal(changes) == "2");
}

#include "mirror/mirror_fixture.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <algorithm>

using namespace shelfd;

namespace {

std::string range_page(int first, int last, const char* rest = R"("v":1)")
{
    std::string page;
    for (int id = first; id <= last; ++id) {
        page += fmt::format("{}{{\"id\":{},{}}}", page.empty() ? "" : ",", id, rest);
    }
    return page;
}

mirror::Proof incomplete_proof()
{
    auto proof = complete_proof();
    proof.complete = false;
    proof.kind = "none";
    return proof;
}

}  // namespace

TEST_CASE("an item told in other letters is no change for whoever follows the feed")
{
    const std::string before = R"({"id":1,"at":"2024-01-06T06:00:00Z","n":1.50,"list":[1,2]})";
    const char* others[] = {
        R"({"id": 1, "at": "2024-01-06T06:00:00Z", "n": 1.50, "list": [1,2]})",
        R"({"id":1,"n":1.50,"list":[1,2],"at":"2024-01-06T06:00:00Z"})",
        R"({"id":1,"at":"2024-01-06T08:00:00+02:00","n":1.50,"list":[1,2]})",
    };
    for (const auto* other : others) {
        INFO(other);
        MirrorFixture fixture;
        fixture.load({before});
        fixture.load({other});
        CHECK(fixture.one("SELECT count(*) FROM _changes") == "0");
    }
    MirrorFixture fixture;
    fixture.load({before, R"({"id":2})"});
    // Where rows come in front, one is on two pages.
    fixture.load({R"({"id":3})" + ("," + before), before + R"(,{"id":2})"});
    fixture.load({R"({"id":4},{"id":1,"n":2})", R"({"id":1,"n":2},{"id":3},{"id":2})"});
    CHECK(fixture.sql("SELECT item_key || op FROM _changes ORDER BY seq") ==
          std::vector<std::string>{"3insert", "1update", "4insert"});
}

TEST_CASE("a declared table is there before its first pass, empty, with its key")
{
    MirrorFixture fixture({{.name = "things"}, {.name = "order", .key = {"a", "b"}}});
    CHECK(fixture.one("SELECT count(*) FROM things") == "0");
    CHECK(fixture.one("SELECT group_concat(name) FROM pragma_table_info('order')") == "a,b,_shape,_exact");
    CHECK(fixture.sql("SELECT resource, state, rows FROM freshness ORDER BY 1") ==
          std::vector<std::string>{"order|filling|0", "things|filling|0"});
}

TEST_CASE("nothing of a pass is seen before it is published, and all of it afterwards")
{
    MirrorFixture fixture;
    fixture.load({range_page(1, 3)});
    auto pass = fixture.begin();
    must(pass->add_page("[" + range_page(1, 2, R"("v":2,"w":"new")") + "]"));
    must(pass->add_page("[" + range_page(3, 5, R"("v":2,"w":"new")") + "]"));
    CHECK(fixture.one("SELECT count(*), sum(v) FROM things") == "3|3");
    CHECK(fixture.one("SELECT count(*) FROM pragma_table_info('things')") == "4");
    const auto outcome = must(pass->publish(complete_proof()));
    CHECK(outcome.rows == 5);
    CHECK(outcome.added == 2);
    CHECK(outcome.changed == 3);
    CHECK(fixture.one("SELECT count(*), sum(v), count(w) FROM things") == "5|10|5");
    CHECK(fixture.one("SELECT count(*) FROM sqlite_master WHERE name LIKE '\\_s%' ESCAPE '\\' "
                      "AND name NOT IN ('_shapes', '_slices', '_state_things') AND type = 'table'") == "0");
}

TEST_CASE("an abandoned pass leaves no trace, and the next one starts clean")
{
    MirrorFixture fixture;
    fixture.load({range_page(1, 3)});
    auto pass = fixture.begin();
    must(pass->add_page("[" + range_page(2, 9, R"("v":2,"w":"new")") + "]"));
    SECTION("abandoned")
    {
        pass->abandon();
    }
    SECTION("destroyed")
    {
        pass.reset();
    }
    CHECK(fixture.one("SELECT count(*) FROM sqlite_master WHERE name IN ('_staging_things', '_seen_things')") == "0");
    CHECK(fixture.one("SELECT count(*) FROM _runs") == "1");
    const auto outcome = fixture.load({range_page(1, 3)});
    CHECK(outcome.unchanged == 3);
    CHECK(outcome.added == 0);
}

TEST_CASE("a large table of which each row changed is replaced, and keeps a row that the walk did not meet")
{
    constexpr int rows = 10'000;
    const auto pages = [](int first, int last, const char* rest) {
        std::vector<std::string> made;
        for (int id = first; id <= last; id += 1000) {
            made.push_back(range_page(id, std::min(id + 999, last), rest));
        }
        return made;
    };
    const auto root_of_table = [](const MirrorFixture& fixture) {
        return fixture.one("SELECT rootpage FROM sqlite_schema WHERE name = 'things'");
    };
    MirrorFixture fixture;
    fixture.load(pages(1, rows, R"("v":1,"gone":"x")"));
    must(fixture.mirror->checkpoint(storage::CheckpointMode::truncate));
    const auto root = root_of_table(fixture);
    SECTION("each row")
    {
        const auto outcome = fixture.load(pages(1, rows + 5, R"("v":2,"w":null)"));
        CHECK(outcome.changed == rows);
        CHECK(outcome.added == 5);
        CHECK(root_of_table(fixture) != root);
        CHECK(fixture.one("SELECT count(*), sum(v), count(gone), count(w) FROM things") == "10005|20010|0|0");
        CHECK(fixture.one("SELECT count(*), count(DISTINCT k1) FROM _state_things") == "10005|10005");
        CHECK(fixture.one("SELECT count(*) FROM _changes WHERE op = 'update'") == "10000");
        CHECK(fixture.load(pages(1, rows + 5, R"("v":2,"w":null)")).unchanged == rows + 5);
    }
    SECTION("all but one, and one of them twice")
    {
        auto pass = fixture.begin();
        for (const auto& page : pages(1, rows - 1, R"("v":2,"gone":"x")")) {
            must(pass->add_page("[" + page + "]"));
        }
        must(pass->add_page("[" + range_page(7, 7, R"("v":3,"gone":"x")") + "]"));
        must(pass->publish(incomplete_proof()));
        CHECK(fixture.one("SELECT count(*), min(v), max(v) FROM things") == "10000|1|3");
        CHECK(fixture.one("SELECT v FROM things WHERE id = 10000") == "1");
    }
}

TEST_CASE("a pass that finds nothing new writes no row of the table and no state of a row")
{
    MirrorFixture fixture;
    std::vector<std::string> pages;
    for (int page = 0; page < 20; ++page) {
        pages.push_back(range_page(page * 100, page * 100 + 99));
    }
    fixture.load(pages);
    must(fixture.mirror->checkpoint(storage::CheckpointMode::truncate));
    const auto outcome = fixture.load(pages);
    CHECK(outcome.unchanged == 2000);
    CHECK(outcome.changed + outcome.added + outcome.deleted + outcome.candidates == 0);
    // The WAL holds what was written since: the lines about the pass, a page or two for each of three tables.
    CHECK(fixture.mirror->wal_bytes() < 12 * 16384);
    CHECK(fixture.one("SELECT count(*) FROM _runs WHERE unchanged = 2000 AND result = 'published'") == "1");
}

TEST_CASE("a row goes when two complete passes in a row lack it, not before")
{
    const auto integer_keys = GENERATE(true, false);
    const auto page = [&](int first, int last) {
        std::string out;
        for (int id = first; id <= last; ++id) {
            const auto key = integer_keys ? std::to_string(id) : fmt::format("\"k{}\"", id);
            out += fmt::format("{}{{\"id\":{},\"v\":1}}", out.empty() ? "" : ",", key);
        }
        return out;
    };
    MirrorFixture fixture;
    fixture.load({page(1, 9)});
    auto outcome = fixture.load({page(3, 9)});
    CHECK(outcome.deleted == 0);
    CHECK(outcome.candidates == 2);
    CHECK(outcome.rows == 9);

    SECTION("the second witness agrees")
    {
        outcome = fixture.load({page(4, 9)});
        CHECK(outcome.deleted == 2);
        CHECK(outcome.candidates == 1);
        CHECK(outcome.rows == 7);
        CHECK(fixture.one("SELECT count(*) FROM things") == "7");
        CHECK(fixture.one("SELECT count(*) FROM _state_things") == "7");
        CHECK(fixture.one("SELECT rows, candidates FROM _resources") == "7|1");
    }
    SECTION("a row that is there again starts over")
    {
        fixture.load({page(1, 9)});
        outcome = fixture.load({page(3, 9)});
        CHECK(outcome.deleted == 0);
        CHECK(outcome.candidates == 2);
    }
    SECTION("a pass that proves nothing is no witness, neither first nor second")
    {
        auto pass = fixture.begin();
        must(pass->add_page("[" + page(5, 9) + "]"));
        outcome = must(pass->publish(incomplete_proof()));
        CHECK(outcome.deleted == 0);
        CHECK(outcome.candidates == 2);
        outcome = fixture.load({page(3, 9)});
        CHECK(outcome.deleted == 2);
        CHECK(outcome.candidates == 0);
    }
    SECTION("a pass that proves nothing still shows that a row is there")
    {
        auto pass = fixture.begin();
        must(pass->add_page("[" + page(1, 2) + "]"));
        outcome = must(pass->publish(incomplete_proof()));
        CHECK(outcome.candidates == 0);
        outcome = fixture.load({page(3, 9)});
        CHECK(outcome.deleted == 0);
    }
    SECTION("all rows may go, and come back")
    {
        fixture.load({""});
        outcome = fixture.load({""});
        CHECK(outcome.rows == 0);
        CHECK(fixture.one("SELECT count(*) FROM things") == "0");
        outcome = fixture.load({page(5, 12)});
        CHECK(outcome.added == 8);
        CHECK(fixture.load({page(5, 12)}).unchanged == 8);
        CHECK(fixture.one("SELECT count(*) FROM _changes WHERE op = 'insert'") == "8");
    }
    SECTION("the memory of the first absence survives a restart")
    {
        fixture.reopen();
        CHECK(fixture.load({page(3, 9)}).deleted == 2);
    }
}

TEST_CASE("the feed tells every insert, update and deletion once, gap-free, and nothing of the first load")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1,"a":1,"b":"x"},{"id":2,"a":2})"});
    CHECK(fixture.one("SELECT count(*) FROM _changes") == "0");
    fixture.load({R"({"id":1,"a":9,"b":"x","c":null},{"id":3,"a":3})"});
    fixture.load({R"({"id":1,"a":9,"b":"x","c":null},{"id":3,"a":3})"});
    CHECK(fixture.sql("SELECT seq, resource, item_key, op, before, after FROM _changes ORDER BY seq") ==
          std::vector<std::string>{
              R"(1|things|1|update|{"a":1}|{"a":9,"c":null})",
              R"(2|things|3|insert|null|{"id":3,"a":3})",
              R"(3|things|2|delete|{"id":2,"a":2}|null)",
          });
}

TEST_CASE("a feed of keys has no values, and a resource without a feed has no lines")
{
    MirrorFixture fixture({
        {.name = "keys", .changes = mirror::ChangeDetail::keys},
        {.name = "quiet", .changes = mirror::ChangeDetail::none},
    });
    for (const auto* resource : {"keys", "quiet"}) {
        fixture.load({R"({"id":1,"a":1})"}, resource);
        fixture.load({R"({"id":1,"a":2})"}, resource);
    }
    CHECK(fixture.sql("SELECT resource, item_key, op, before, after FROM _changes") ==
          std::vector<std::string>{"keys|1|update|null|null"});
}

TEST_CASE("a table whose changes were not written for a while makes the feed another one when they are again")
{
    MirrorFixture fixture({{.name = "things"}, {.name = "others"}});
    const auto feed = [&fixture] { return fixture.one("SELECT value FROM _meta WHERE key = 'feed'"); };
    fixture.load({R"({"id":1,"a":1})"});
    const auto before = feed();
    const auto reopen_with = [&fixture](mirror::ChangeDetail changes) {
        fixture.clock.advance_by(std::chrono::seconds(1));
        fixture.specs[0].changes = changes;
        fixture.reopen();
    };
    reopen_with(mirror::ChangeDetail::keys);
    CHECK(feed() == before);
    reopen_with(mirror::ChangeDetail::none);
    reopen_with(mirror::ChangeDetail::none);
    CHECK(feed() == before);
    reopen_with(mirror::ChangeDetail::values);
    const auto after = feed();
    CHECK(after != before);
    reopen_with(mirror::ChangeDetail::values);
    CHECK(feed() == after);
}

TEST_CASE("passes over several resources may be open at once, but not two over one")
{
    MirrorFixture fixture({{.name = "a"}, {.name = "b"}});
    auto first = fixture.begin("a");
    auto second = fixture.begin("b");
    must(first->add_page(R"([{"id":1}])"));
    must(second->add_page(R"([{"id":1},{"id":2}])"));
    must(first->add_page(R"([{"id":2}])"));
    const auto third = fixture.mirror->begin_pass("a", {.run_id = "x"});
    REQUIRE(!third);
    CHECK(third.error().kind() == ErrorKind::usage);
    CHECK(must(second->publish(complete_proof())).rows == 2);
    CHECK(must(first->publish(complete_proof())).rows == 2);
    CHECK_FALSE(first->publish(complete_proof()));
}

namespace {

// Each look at it takes a second.
struct SlowClock final : Clock {
    Instant now() const override { return looked = looked + std::chrono::seconds(1); }
    BootTime boot_now() const override { return {}; }
    asio::awaitable<void> sleep_until(BootTime) override { co_return; }
    mutable Instant looked = Instant::from_seconds(1'704'520'800);
};

}  // namespace

TEST_CASE("a run is told to have ended when its transaction had, not when that began")
{
    TempDirectory directory;
    SlowClock clock;
    mirror::Mirror mirror(
        {.directory = directory / "antwerp", .library = "antwerp", .clock = clock, .boot_id = "boot"});
    must(mirror.declare({{.name = "things"}}));
    auto pass = must(mirror.begin_pass("things", {.run_id = "run", .started = clock.now(), .as_of = clock.now()}));
    must(pass->add_page(R"([{"id":1}])"));
    must(pass->publish(complete_proof()));
    const auto ended = clock.looked;
    auto reader = must(storage::Database::open(mirror.path(), storage::OpenMode::read_only));
    auto run = must(reader.prepare("SELECT finished_at, (SELECT published_at FROM _resources) FROM _runs"));
    REQUIRE(must(run.step()));
    CHECK(run.text(0) == ended.to_text());
    CHECK(ended - *Instant::from_rfc3339(run.text(1)) < std::chrono::seconds(6));
}

TEST_CASE("a run that brought details is told to have ended when its transaction had")
{
    TempDirectory directory;
    SlowClock clock;
    mirror::Mirror mirror(
        {.directory = directory / "antwerp", .library = "antwerp", .clock = clock, .boot_id = "boot"});
    must(mirror.declare({{.name = "things", .detail = mirror::DetailSpec{.address_member = "url"}}}));
    auto pass = must(mirror.begin_pass("things", {.run_id = "run", .started = clock.now(), .as_of = clock.now()}));
    must(pass->add_page(R"([{"id":1,"url":"https://api.test/things/1/"}])"));
    must(pass->publish(complete_proof()));
    const std::vector<mirror::DetailAnswer> answers = {
        {.key = "1", .body = R"({"id":1,"cost":2})", .asked = clock.now(), .fetched_at = clock.now()}};
    must(mirror.put_details("things", {.run_id = "details", .started = clock.now()}, answers));
    const auto ended = clock.looked;
    auto reader = must(storage::Database::open(mirror.path(), storage::OpenMode::read_only));
    auto run = must(reader.prepare("SELECT finished_at FROM _runs WHERE run_id = 'details'"));
    REQUIRE(must(run.step()));
    CHECK(run.text(0) == ended.to_text());
}

TEST_CASE("a list that is empty is published as such")
{
    MirrorFixture fixture;
    const auto outcome = fixture.load({""});
    CHECK(outcome.rows == 0);
    CHECK(fixture.one("SELECT proven_as_of IS NOT NULL FROM freshness") == "1");
    CHECK(fixture.load({range_page(1, 3)}).added == 3);
    CHECK(fixture.one("SELECT count(*) FROM _changes WHERE op = 'insert'") == "3");
}

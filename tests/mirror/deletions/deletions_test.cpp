#include "mirror/deletions/held_rows.hpp"
#include "mirror/deletions/row_deletions.hpp"
#include "mirror/mirror_fixture.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <algorithm>

using namespace shelfd;

namespace {

// Items FIRST … LAST, each with an address of its own.
std::string items(int first, int last, const std::string& rest = R"("v":1)")
{
    std::string page;
    for (int id = first; id <= last; ++id) {
        page += fmt::format("{}{{\"id\":{},\"url\":\"https://api.example.com/things/{}/\",{}}}",
                            page.empty() ? "" : ",", id, id, rest);
    }
    return page;
}

mirror::ItemKey key(std::int64_t id)
{
    mirror::ItemKey key;
    key.first.integer = id;
    return key;
}

struct Walk {
    MirrorFixture& fixture;
    std::unique_ptr<mirror::Pass> pass = fixture.begin();

    explicit Walk(MirrorFixture& mirror, const std::string& page) : fixture(mirror)
    {
        must(pass->add_page("[" + page + "]"));
    }

    void answer(const std::vector<int>& ids, mirror::Witness witness)
    {
        for (const int id : ids) {
            pass->add_evidence({.key = std::to_string(id), .address = ""}, witness);
        }
    }
    mirror::PublishOutcome publish(mirror::Proof proof = complete_proof()) { return must(pass->publish(proof)); }
};

std::vector<std::string> keys_of(const std::vector<mirror::HeldRow>& rows)
{
    std::vector<std::string> keys;
    for (const auto& row : rows) {
        keys.push_back(row.key + (row.kept ? " kept" : ""));
    }
    return keys;
}

}  // namespace

TEST_CASE("the reason by which rows are released again is worded as in the mirrors of any version")
{
    CHECK(mirror::held_unvouched ==
          "the list lacks it, but the token may have been invalid: no list refuses a wrong one");
}

TEST_CASE("what is missing is judged by its addresses first, then by how much it is")
{
    struct Row {
        const char* name;
        bool there;
        std::uint64_t missing;
        std::uint64_t rows;
        mirror::Verdict verdict;
    };
    const Row rows[] = {
        {"one of many", false, 1, 1000, mirror::Verdict::believe},
        {"one that answers", true, 1, 1000, mirror::Verdict::hold},
        {"all, and one that answers", true, 1000, 1000, mirror::Verdict::hold},
        {"exactly a fifth", false, 200, 1000, mirror::Verdict::believe},
        {"more than a fifth", false, 201, 1000, mirror::Verdict::wait},
        {"all of a small table", false, 10, 10, mirror::Verdict::believe},
        {"all of one that is not small", false, 11, 11, mirror::Verdict::wait},
        {"none", false, 0, 1000, mirror::Verdict::believe},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        mirror::DeletionEvidence evidence;
        evidence.gone.push_back(key(2));
        if (row.there) {
            evidence.there.push_back(key(1));
        }
        CHECK(mirror::judge(evidence, row.missing, row.rows, {}) == row.verdict);
    }
    CHECK(mirror::judge({}, 1, 100, {.max_share = 0, .min_rows = 0}) == mirror::Verdict::wait);
    CHECK(mirror::judge({}, 100, 100, {.max_share = 1, .min_rows = 0}) == mirror::Verdict::believe);
}

TEST_CASE("a row whose own address denies it goes with the pass that lacks it, its neighbours wait")
{
    MirrorFixture fixture;
    fixture.load({items(1, 100)});
    Walk walk(fixture, items(4, 100));
    walk.answer({1, 3}, mirror::Witness::gone);
    walk.answer({2}, mirror::Witness::none);
    const auto outcome = walk.publish();
    CHECK(outcome.deleted == 2);
    CHECK(outcome.candidates == 1);
    CHECK(outcome.rows == 98);
    CHECK(fixture.one("SELECT group_concat(id) FROM things WHERE id < 5") == "2,4");
    CHECK(fixture.load({items(4, 100)}).deleted == 1);
}

TEST_CASE("a list that came in one page needs no second witness")
{
    MirrorFixture fixture;
    fixture.load({items(1, 100)});
    auto proof = complete_proof();
    proof.one_answer = true;
    SECTION("a few rows go at once")
    {
        CHECK(Walk(fixture, items(4, 100)).publish(proof).deleted == 3);
    }
    SECTION("more than a fifth waits for the next pass, whatever the addresses say")
    {
        Walk walk(fixture, items(31, 100));
        walk.answer({1, 2, 3}, mirror::Witness::gone);
        const auto outcome = walk.publish(proof);
        CHECK(outcome.deleted == 0);
        CHECK(outcome.candidates == 30);
        CHECK(Walk(fixture, items(31, 100)).publish(proof).deleted == 30);
    }
    SECTION("but an incomplete one proves nothing")
    {
        proof.complete = false;
        CHECK(Walk(fixture, items(4, 100)).publish(proof).deleted == 0);
    }
}

TEST_CASE("rows that are missing are handed out with the addresses that they have, a sample of them")
{
    MirrorFixture fixture;
    fixture.load(
        {items(1, 300) + R"(,{"id":901,"url":null},{"id":902},{"id":903,"url":"https:\/\/a.example\/9\/?a=\u0031"})"});
    SECTION("none where all were met")
    {
        CHECK(must(Walk(fixture, items(1, 300) + R"(,{"id":901,"url":null},{"id":902},{"id":903,"url":"x"})")
                       .pass->missing(50, {"url"}))
                  .empty());
    }
    SECTION("an address is unescaped, and what is none is left out")
    {
        const auto missing = must(Walk(fixture, items(2, 300)).pass->missing(50, {"url"}));
        REQUIRE(missing.size() == 4);
        CHECK(std::count_if(missing.begin(), missing.end(), [](const auto& row) { return row.address.empty(); }) == 2);
        const auto last =
            std::find_if(missing.begin(), missing.end(), [](const auto& row) { return row.key == "903"; });
        REQUIRE(last != missing.end());
        CHECK(last->address == "https://a.example/9/?a=1");
    }
    SECTION("spread over all of them")
    {
        const auto missing = must(Walk(fixture, items(300, 300)).pass->missing(20, {"url"}));
        REQUIRE(missing.size() <= 20);
        const auto late =
            std::count_if(missing.begin(), missing.end(), [](const auto& row) { return row.key.size() == 3; });
        CHECK(late > 5);
        CHECK(late < 20);
    }
    SECTION("those that are held already by that name")
    {
        Walk walk(fixture, items(6, 300));
        walk.answer({1}, mirror::Witness::there);
        CHECK(walk.publish().held == 8);
        const auto missing = must(Walk(fixture, items(7, 300)).pass->missing(50, {"url"}));
        REQUIRE(missing.size() == 9);
        for (const auto& row : missing) {
            CHECK((row.standing == mirror::MissingRow::Standing::missing) == (row.key == "6"));
        }
    }
}

TEST_CASE("one missing row that still answers holds all of them, whatever else was witnessed")
{
    MirrorFixture fixture;
    fixture.load({items(1, 100)});
    fixture.load({items(3, 100)});  // 1 and 2 are candidates already
    Walk walk(fixture, items(6, 100));
    walk.answer({1, 3}, mirror::Witness::gone);
    walk.answer({4}, mirror::Witness::there);
    const auto outcome = walk.publish();
    CHECK(outcome.deleted == 0);
    CHECK(outcome.candidates == 0);
    CHECK(outcome.held == 5);
    CHECK(outcome.rows == 100);
    CHECK(fixture.one("SELECT count(*) FROM things") == "100");
    CHECK(fixture.one("SELECT count(*) FROM _changes") == "0");
    CHECK(keys_of(must(fixture.mirror->held("things", 100)).rows) == std::vector<std::string>{"1", "2", "3", "4", "5"});
    CHECK(must(fixture.mirror->held("things", 100)).rows[0].why ==
          "the list lacks it, but the service still answers for 4");
    CHECK(must(fixture.mirror->held("things", 100)).rows[0].since == fixture.clock.now());
    CHECK(fixture.one("SELECT state, held, why FROM freshness") ==
          "held|5|5 rows are missing from the list but not deleted: perhaps a permission was reduced, a filter "
          "hides them, or the token shows only a part: shelfctl held antwerp things");
    CHECK(must(fixture.mirror->summary("things")).value().held == 5);

    SECTION("however many passes lack them afterwards, and across a restart")
    {
        for (int pass = 0; pass < 3; ++pass) {
            CHECK(fixture.load({items(6, 100)}).deleted == 0);
            fixture.reopen();
        }
        CHECK(fixture.one("SELECT count(*) FROM things") == "100");
    }
    SECTION("until they are listed again, in any kind of pass")
    {
        auto proof = complete_proof();
        proof.complete = false;
        const auto back = Walk(fixture, items(2, 3)).publish(proof);
        CHECK(back.held == 3);
        CHECK(keys_of(must(fixture.mirror->held("things", 100)).rows) == std::vector<std::string>{"1", "4", "5"});
        CHECK(fixture.load({items(1, 100)}).held == 0);
        CHECK(fixture.one("SELECT state, why FROM freshness") == "fresh|null");
        CHECK(fixture.load({items(2, 100)}).candidates == 1);
    }
    SECTION("while rows that go missing later are judged by themselves")
    {
        CHECK(fixture.load({items(7, 100)}).candidates == 1);
        const auto later = fixture.load({items(7, 100)});
        CHECK(later.deleted == 1);
        CHECK(later.held == 5);
    }
}

TEST_CASE("held and kept rows that come back changed are held no more")
{
    MirrorFixture fixture;
    fixture.load({items(1, 40)});
    Walk walk(fixture, items(4, 40));
    walk.answer({1, 2, 3}, mirror::Witness::there);
    REQUIRE(walk.publish().held == 3);
    must(fixture.mirror->decide("things", {mirror::HeldFate::keep, {"2"}}));
    const bool whole = GENERATE(false, true);
    auto proof = complete_proof();
    proof.complete = proof.whole = whole;
    Walk back(fixture, items(1, 2, R"("v":2)") + "," + (whole ? items(3, 40) : items(3, 3, R"("v":2)")));
    const auto outcome = back.publish(proof);
    CHECK(outcome.held == 0);
    CHECK(outcome.deleted == 0);
    CHECK(fixture.one("SELECT count(*) FROM _held") == "0");
    CHECK(fixture.one("SELECT held, rows FROM freshness") == "0|40");
    // Nothing of it stands in the way of what is really deleted.
    fixture.load({items(2, 40)});
    CHECK(fixture.load({items(2, 40)}).deleted == 1);
}

TEST_CASE("held rows that a person accepts as deleted go at once, into the feed and into the table of deleted rows")
{
    MirrorFixture fixture({{.name = "things", .keep_deleted = true}});
    fixture.load({items(1, 100)});
    Walk walk(fixture, items(6, 100));
    walk.answer({4}, mirror::Witness::there);
    walk.publish();

    SECTION("all of them")
    {
        const auto outcome = must(fixture.mirror->decide("things", {mirror::HeldFate::accept, {}}));
        CHECK(outcome.rows == 5);
        CHECK(outcome.left == 0);
        CHECK(fixture.one("SELECT count(*), min(id) FROM things") == "95|6");
        CHECK(fixture.one("SELECT group_concat(id) FROM things_deleted") == "1,2,3,4,5");
        CHECK(fixture.one("SELECT count(*) FROM _changes WHERE op = 'delete' AND before IS NOT NULL") == "5");
        CHECK(fixture.one("SELECT DISTINCT r.mode, r.deleted FROM _changes c JOIN _runs r USING (run_id)") ==
              "accept|5");
        CHECK(fixture.one("SELECT state, rows, held FROM freshness") == "fresh|95|0");
        const auto next = fixture.load({items(6, 100)});
        CHECK(next.unchanged == 95);
        CHECK(next.candidates == 0);
        CHECK(fixture.load({items(5, 100)}).added == 1);
    }
    SECTION("by a user, who stands in the runs, as does one who keeps them")
    {
        must(fixture.mirror->decide("things", {mirror::HeldFate::keep, {"2"}, "jan"}));
        must(fixture.mirror->decide("things", {mirror::HeldFate::accept, {"4"}, "erik"}));
        CHECK(fixture.one("SELECT group_concat(mode || ' ' || asked_by || ' ' || deleted) FROM _runs WHERE asked_by IS "
                          "NOT NULL") == "keep jan 0,accept erik 1");
    }
    SECTION("those that are named, as JSON")
    {
        CHECK(must(fixture.mirror->decide("things", {mirror::HeldFate::accept, {"2", "4"}})).left == 3);
        CHECK(fixture.one("SELECT group_concat(id) FROM things WHERE id < 7") == "1,3,5,6");
    }
    SECTION("a key that is not held is refused, and nothing happens")
    {
        const auto refused = fixture.mirror->decide("things", {mirror::HeldFate::accept, {"2", "99"}});
        REQUIRE_FALSE(refused);
        CHECK(refused.error().kind() == ErrorKind::not_found);
        CHECK(fixture.one("SELECT count(*) FROM things") == "100");
        CHECK(must(fixture.mirror->held("things", 100)).rows.size() == 5);
    }
    SECTION("not while a pass is under way, which counts on them")
    {
        auto pass = fixture.begin();
        const auto refused = fixture.mirror->decide("things", {mirror::HeldFate::accept, {}});
        REQUIRE_FALSE(refused);
        CHECK(refused.error().kind() == ErrorKind::busy);
    }
}

TEST_CASE("held rows go as all others do once one of them is denied, and none is there any more")
{
    using Standing = mirror::MissingRow::Standing;
    struct Row {
        const char* name;
        std::vector<std::pair<int, mirror::Witness>> answers;
        std::uint64_t held, deleted, candidates;
    };
    using mirror::Witness;
    const std::vector<Row> rows = {
        {"nobody was asked", {}, 5, 0, 0},
        {"one is still there", {{1, Witness::gone}, {2, Witness::there}}, 5, 0, 0},
        {"the service does not say of one", {{1, Witness::gone}, {2, Witness::none}}, 5, 0, 0},
        {"one is denied", {{1, Witness::gone}}, 0, 1, 4},
        {"all are denied",
         {{1, Witness::gone}, {2, Witness::gone}, {3, Witness::gone}, {4, Witness::gone}, {5, Witness::gone}},
         0,
         5,
         0},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        MirrorFixture fixture;
        fixture.load({items(1, 100)});
        Walk hiding(fixture, items(6, 100));
        hiding.answer({4}, Witness::there);
        REQUIRE(hiding.publish().held == 5);
        Walk later(fixture, items(6, 100));
        for (const auto& [id, witness] : row.answers) {
            later.pass->add_evidence({std::to_string(id), "", Standing::held}, witness);
        }
        const auto outcome = later.publish();
        CHECK(outcome.held == row.held);
        CHECK(outcome.deleted == row.deleted);
        CHECK(outcome.candidates == row.candidates);
        CHECK(must(fixture.mirror->held("things", 100)).rows.size() == row.held);
        CHECK(fixture.one("SELECT state FROM freshness") == (row.held > 0 ? "held" : "fresh"));
    }
}

TEST_CASE("a kept row goes when its own address denies it, and until then the table says that it is kept")
{
    using Standing = mirror::MissingRow::Standing;
    MirrorFixture fixture;
    fixture.load({items(1, 100)});
    Walk hiding(fixture, items(3, 100));
    hiding.answer({1}, mirror::Witness::there);
    REQUIRE(hiding.publish().held == 2);
    must(fixture.mirror->decide("things", {mirror::HeldFate::keep, {}}));
    if (GENERATE(false, true)) {
        // As a version left it that told held and kept rows apart by `_held` alone.
        auto earlier = must(storage::Database::open(fixture.file(), storage::OpenMode::read_write_create));
        must(earlier.execute("UPDATE _state_things SET missed = -1 WHERE missed < 0"));
    }
    CHECK(fixture.one("SELECT state, why FROM freshness") ==
          "fresh|2 rows missing from the list, kept as a person decided: no longer updated, and tested only for being "
          "deleted");
    Walk again(fixture, items(3, 99));
    again.pass->add_evidence({"1", "", Standing::kept}, mirror::Witness::there);
    again.answer({100}, mirror::Witness::gone);
    const auto meanwhile = again.publish();
    CHECK(meanwhile.deleted == 1);  // what is hidden does not hold up what was deleted
    CHECK(meanwhile.held == 0);
    Walk later(fixture, items(3, 99));
    later.pass->add_evidence({"1", "", Standing::kept}, mirror::Witness::gone);
    CHECK(later.publish().deleted == 1);
    CHECK(fixture.one("SELECT group_concat(id) FROM things WHERE id < 4") == "2,3");
    CHECK(fixture.one("SELECT why FROM freshness").find("1 row missing from the list, kept as a person decided") == 0);
}

TEST_CASE("held rows that a person keeps stay until they are listed again, and no person is asked about them any more")
{
    MirrorFixture fixture;
    const auto quoted = [](const std::string& keys) {
        std::string page;
        for (const char letter : keys) {
            page += fmt::format("{}{{\"id\":\"{}\",\"url\":\"/{}\"}}", page.empty() ? "" : ",", letter, letter);
        }
        return page;
    };
    fixture.load({quoted("abcdefgh")});
    auto pass = fixture.begin();
    must(pass->add_page("[" + quoted("defgh") + "]"));
    pass->add_evidence({.key = "\"b\"", .address = ""}, mirror::Witness::there);
    must(pass->publish(complete_proof()));
    const auto outcome = must(fixture.mirror->decide("things", {mirror::HeldFate::keep, {"a", "\"b\""}}));
    CHECK(outcome.rows == 2);
    CHECK(outcome.left == 1);
    CHECK(fixture.one("SELECT state, held FROM freshness") == "held|1");
    must(fixture.mirror->decide("things", {mirror::HeldFate::keep, {}}));
    CHECK(fixture.one("SELECT state, held FROM freshness") == "fresh|0");
    CHECK(keys_of(must(fixture.mirror->held("things", 100)).rows) ==
          std::vector<std::string>{"\"a\" kept", "\"b\" kept", "\"c\" kept"});
    for (int again = 0; again < 3; ++again) {
        CHECK(fixture.load({quoted("defgh")}).deleted == 0);
    }
    CHECK(fixture.load({quoted("abdefgh")}).rows == 8);
    CHECK(keys_of(must(fixture.mirror->held("things", 100)).rows) == std::vector<std::string>{"\"c\" kept"});

    SECTION("or the person thinks better of it")
    {
        CHECK(must(fixture.mirror->decide("things", {mirror::HeldFate::accept, {"c"}})).rows == 1);
        CHECK(fixture.one("SELECT group_concat(id) FROM things") == "a,b,d,e,f,g,h");
    }
    SECTION("whoever decides about all means those that wait")
    {
        CHECK(must(fixture.mirror->decide("things", {mirror::HeldFate::accept, {}})).rows == 0);
        CHECK(fixture.one("SELECT count(*) FROM things") == "8");
    }
}

TEST_CASE("deleted rows are kept on request, with all they had, until they come back")
{
    MirrorFixture fixture({{.name = "things", .keep_deleted = true}});
    CHECK(fixture.one("SELECT count(*) FROM things_deleted") == "0");
    fixture.load({R"({"id":1,"a":"x","n":7},{"id":2,"a":5},{"id":3},{"id":4},{"id":5,"late":1.5})"});
    fixture.load({R"({"id":3},{"id":4},{"id":5,"late":1.5})"});
    CHECK(fixture.load({R"({"id":3},{"id":4},{"id":5,"late":1.5})"}).deleted == 2);
    CHECK(fixture.sql("SELECT id, a, n, _exact FROM things_deleted ORDER BY id") ==
          std::vector<std::string>{"1|x|7|null", R"(2|5|null|{"a":5})"});
    CHECK(fixture.one("SELECT DISTINCT _deleted_at = (SELECT finished_at FROM _runs ORDER BY rowid DESC), _deleted_run "
                      "FROM things_deleted") == "1|run-3");

    SECTION("a row that comes back is a new row, is told so, and is deleted no more")
    {
        const auto outcome = fixture.load({R"({"id":1,"a":"y","w":true},{"id":3},{"id":4},{"id":5,"late":1.5})"});
        CHECK(outcome.added == 1);
        CHECK(fixture.one("SELECT a, w FROM things WHERE id = 1") == "y|1");
        CHECK(fixture.sql("SELECT id FROM things_deleted") == std::vector<std::string>{"2"});
        CHECK(fixture.one("SELECT item_key, op, before, after FROM _changes ORDER BY seq DESC LIMIT 1") ==
              R"(1|insert|null|{"id":1,"a":"y","w":true})");
        fixture.load({R"({"id":3},{"id":4},{"id":5,"late":1.5})"});
        fixture.load({R"({"id":3},{"id":4},{"id":5,"late":1.5})"});
        CHECK(fixture.sql("SELECT id, a, w FROM things_deleted ORDER BY id") ==
              std::vector<std::string>{"1|y|1", "2|5|null"});
    }
    SECTION("when all rows went and some come back, the table is swapped in and they leave it all the same")
    {
        fixture.load({""});
        CHECK(fixture.load({""}).rows == 0);
        fixture.load({R"({"id":2,"a":6},{"id":9})"});
        CHECK(fixture.one("SELECT group_concat(id) FROM things") == "2,9");
        CHECK(fixture.one("SELECT group_concat(id) FROM things_deleted") == "1,3,4,5");
    }
    SECTION("a key that becomes text keeps both apart")
    {
        fixture.load({R"({"id":"1"},{"id":3},{"id":4},{"id":5,"late":1.5})"});
        CHECK(fixture.sql("SELECT id, typeof(id) FROM things_deleted ORDER BY id") ==
              std::vector<std::string>{"1|integer", "2|integer"});
        fixture.load({R"({"id":3},{"id":4},{"id":5,"late":1.5})"});
        fixture.load({R"({"id":3},{"id":4},{"id":5,"late":1.5})"});
        CHECK(fixture.sql("SELECT id, typeof(id) FROM things_deleted ORDER BY typeof(id), id") ==
              std::vector<std::string>{"1|integer", "2|integer", "1|text"});
    }
    SECTION("switched off, nothing is added, and what is there stays and leaves as before")
    {
        fixture.specs[0].keep_deleted = false;
        fixture.reopen();
        fixture.load({R"({"id":2},{"id":4},{"id":5,"late":1.5})"});
        CHECK(fixture.load({R"({"id":2},{"id":4},{"id":5,"late":1.5})"}).deleted == 1);
        CHECK(fixture.sql("SELECT id FROM things_deleted") == std::vector<std::string>{"1"});
    }
    SECTION("another key of the resource makes another table")
    {
        fixture.specs[0].key = {"a"};
        fixture.reopen();
        CHECK(fixture.one("SELECT count(*) FROM things_deleted") == "0");
        CHECK(fixture.one("SELECT name FROM pragma_table_info('things_deleted') WHERE pk") == "a");
    }
}

TEST_CASE("rows of a key of several members are held, kept and deleted like any other")
{
    MirrorFixture fixture({{.name = "pairs", .key = {"a", "b"}, .keep_deleted = true}});
    const auto page = R"({"a":1,"b":"y","url":"/y"},{"a":2,"b":"z"})";
    fixture.load({std::string(R"({"a":1,"b":"x","url":"/x"},)") + page}, "pairs");
    auto pass = fixture.begin("pairs");
    must(pass->add_page(std::string("[") + page + "]"));
    const auto missing = must(pass->missing(50, {"url"}));
    REQUIRE(missing.size() == 1);
    CHECK(missing[0].key == R"([1,"x"])");
    SECTION("gone")
    {
        pass->add_evidence(missing[0], mirror::Witness::gone);
        CHECK(must(pass->publish(complete_proof())).deleted == 1);
    }
    SECTION("held, then accepted")
    {
        pass->add_evidence(missing[0], mirror::Witness::there);
        CHECK(must(pass->publish(complete_proof())).held == 1);
        CHECK(must(fixture.mirror->decide("pairs", {mirror::HeldFate::accept, {R"([1,"x"])"}})).rows == 1);
    }
    CHECK(fixture.one("SELECT a, b FROM pairs_deleted") == "1|x");
    CHECK(fixture.one("SELECT count(*) FROM pairs") == "2");
}

TEST_CASE("the bitmap of rows met does not grow with every row there ever was")
{
    const bool integers = GENERATE(true, false);
    MirrorFixture fixture;
    const auto page = [&](int first, int last) {
        std::string text;
        for (int id = first; id <= last; ++id) {
            text += fmt::format(fmt::runtime(integers ? "{}{{\"id\":{}}}" : "{}{{\"id\":\"k{}\"}}"),
                                text.empty() ? "" : ",", id);
        }
        return text;
    };
    fixture.deletion_limits = {.max_share = 1, .min_rows = 0};
    fixture.reopen();
    auto proof = complete_proof();
    proof.one_answer = true;
    for (int round = 0; round < 12; ++round) {
        CHECK(Walk(fixture, page(round * 1000, round * 1000 + 1004)).publish(proof).rows == 1005);
    }
    CHECK(std::stoi(fixture.one("SELECT next_ordinal FROM _resources")) < 2 * 1005 + 4096 + 1005);
    CHECK(fixture.one("SELECT count(DISTINCT ord), max(ord) < r.next_ordinal FROM _state_things, _resources r") ==
          "1005|1");
    // Numbered anew, rows are still told apart.
    const auto outcome = Walk(fixture, page(11001, 12004)).publish(proof);
    CHECK(outcome.deleted == 1);
    CHECK(outcome.unchanged == 1004);
    CHECK(fixture.one("SELECT count(*) FROM things") == "1004");
}

TEST_CASE("what the feed forgets is its beginning, by age and by number, and never a line from between")
{
    MirrorFixture fixture;
    fixture.change_limits = {.keep = std::chrono::hours(24), .max_rows = 1500};
    fixture.reopen();
    fixture.load({items(1, 10)});
    const auto change = [&](int first, int last, int value) {
        fixture.load({items(first, last, fmt::format("\"v\":{}", value))});
    };
    SECTION("by age, where the clock was set back in between")
    {
        change(1, 10, 2);
        fixture.clock.step_wall(-std::chrono::hours(48));
        change(1, 10, 3);
        fixture.clock.step_wall(std::chrono::hours(49));
        change(1, 10, 4);
        CHECK(fixture.one("SELECT min(seq), max(seq), count(*) FROM _changes") == "1|30|30");
        fixture.clock.step_wall(std::chrono::hours(24));
        change(1, 10, 5);
        CHECK(fixture.one("SELECT min(seq), max(seq), count(*) FROM _changes") == "21|40|20");
    }
    SECTION("by number, at once, however many one pass writes")
    {
        change(1, 2000, 2);
        CHECK(fixture.one("SELECT min(seq), max(seq), count(*) FROM _changes") == "501|2000|1500");
        change(1, 2000, 3);
        CHECK(fixture.one("SELECT min(seq), max(seq), count(*) FROM _changes") == "2501|4000|1500");
    }
    SECTION("numbers are not given twice when all were forgotten")
    {
        change(1, 10, 2);
        fixture.clock.step_wall(std::chrono::hours(25));
        fixture.load({items(1, 10, "\"v\":2")});
        CHECK(fixture.one("SELECT count(*) FROM _changes") == "0");
        change(1, 1, 3);
        CHECK(fixture.one("SELECT min(seq) FROM _changes") == "11");
    }
}

TEST_CASE("what the feed forgets by age goes at once, however many lines of it one pass has written")
{
    MirrorFixture fixture;
    fixture.change_limits = {.keep = std::chrono::hours(24), .max_rows = std::nullopt};
    fixture.reopen();
    fixture.load({items(1, 3500)});
    fixture.load({items(1, 3500, "\"v\":2")});
    fixture.clock.step_wall(std::chrono::hours(25));
    fixture.load({items(1, 3500, "\"v\":3")});
    CHECK(fixture.one("SELECT min(seq), max(seq), count(*) FROM _changes") == "3501|7000|3500");
}

TEST_CASE("a mirror by an earlier version of ours gets what it lacks, and keeps what it has")
{
    MirrorFixture fixture;
    fixture.load({items(1, 3)});
    fixture.mirror.reset();
    {
        auto earlier = must(
            storage::Database::open(fixture.directory / "antwerp/antwerp.db", storage::OpenMode::read_write_create));
        must(earlier.execute("DROP TABLE _held; DELETE FROM _meta WHERE key = 'schema_minor'; DROP VIEW freshness; "
                             "CREATE VIEW freshness AS SELECT 'old' AS state"));
    }
    fixture.mirror = std::make_unique<mirror::Mirror>(fixture.options());
    must(fixture.mirror->declare(fixture.specs));
    CHECK(fixture.one("SELECT state FROM freshness") == "fresh");
    CHECK(fixture.one("SELECT count(*) FROM _held") == "0");
    CHECK(fixture.load({items(1, 3)}).unchanged == 3);
}

TEST_CASE("what an earlier version took for proven because it followed cursors over several pages is proven no more")
{
    const auto pages = GENERATE(1, 3);
    const auto minor = GENERATE(12, 15);
    const bool is_forgotten = pages > 1 && minor < 15;
    INFO("pages: " << pages << ", schema_minor: " << minor);
    MirrorFixture fixture;
    fixture.load({items(1, 3)});
    fixture.mirror.reset();
    {
        auto earlier = must(
            storage::Database::open(fixture.directory / "antwerp/antwerp.db", storage::OpenMode::read_write_create));
        must(earlier.execute("UPDATE _meta SET value = '" + std::to_string(minor) +
                             "' WHERE key = 'schema_minor'; UPDATE _resources SET changes_from = as_of; "
                             "UPDATE _proofs SET kind = 'chain', pages = " +
                             std::to_string(pages)));
    }
    fixture.mirror = std::make_unique<mirror::Mirror>(fixture.options());
    must(fixture.mirror->declare(fixture.specs));
    CHECK(fixture.one("SELECT proven_as_of IS NULL FROM freshness") == (is_forgotten ? "1" : "0"));
    CHECK(must(fixture.mirror->discovery("things")).changes_from.has_value() != is_forgotten);
    CHECK(fixture.one("SELECT sum(complete) FROM _proofs") == (is_forgotten ? "0" : "1"));
    CHECK(fixture.load({items(1, 3)}).unchanged == 3);
}

TEST_CASE("lines of runs that polls without news have left go with the next pass, however many they are")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1})"});
    {
        auto writer = must(storage::Database::open(fixture.file(), storage::OpenMode::read_write_create));
        must(writer.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 450) "
                            "INSERT INTO _runs (run_id, resource, mode, result, started_at, finished_at, requests, "
                            "pages, bytes) SELECT 'old-' || i, 'things', 'incremental', 'unchanged', "
                            "'2001-01-01T00:00:00.000000Z', '2001-01-01T00:00:00.000000Z', 1, 1, 1 FROM n"));
        must(writer.execute("UPDATE _runs SET rowid = rowid + 1000 WHERE run_id NOT LIKE 'old-%'"));
    }
    CHECK(fixture.one("SELECT count(*) > 450 FROM _runs") == "1");
    fixture.load({R"({"id":1},{"id":2})"});
    CHECK(fixture.one("SELECT count(*) FROM _runs WHERE run_id LIKE 'old-%'") == "0");
    CHECK(fixture.one("SELECT count(*) FROM _runs") == "2");
}

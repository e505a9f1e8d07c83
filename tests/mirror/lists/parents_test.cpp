#include "mirror/json/placing.hpp"
#include "mirror/mirror_fixture.hpp"
#include "mirror/records/row_state_sql.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

// Outlets and the stock of each.
struct StockFixture : MirrorFixture {
    StockFixture()
        : MirrorFixture({{.name = "outlets"},
                         {.name = "stock",
                          .key = {"outlet", "id"},
                          .keep_deleted = true,
                          .axis = "outlets id outlet",
                          .parent_member = "outlet"}})
    {
    }

    mirror::PassStart start(const std::string& outlet)
    {
        mirror::PassStart start;
        start.run_id = round.empty() ? fmt::format("stock-{}", ++runs_) : round;
        start.started = start.as_of = clock.now();
        auto& slice = start.slice.emplace();
        slice.name = slice.value = outlet;
        slice.member = "outlet";
        return start;
    }
    mirror::PublishOutcome walk(const std::string& outlet, const std::string& page, bool one_answer = true)
    {
        auto pass = must(mirror->begin_pass("stock", start(outlet)));
        must(pass->add_page("[" + page + "]"));
        auto proof = complete_proof();
        proof.one_answer = one_answer;
        return must(pass->publish(proof));
    }
    std::uint64_t keep(const std::vector<std::string>& outlets)
    {
        auto gone = start("");
        gone.mode = mirror::RunMode::parents;
        const mirror::ParentRows parents{.as_of = clock.now(), .keys = outlets, .lacks_as_of = clock.now()};
        return must(mirror->drop_other_lists("stock", parents, gone));
    }
    static std::vector<std::string> names(std::uint64_t first, std::uint64_t last)
    {
        std::vector<std::string> out;
        for (auto outlet = first; outlet <= last; ++outlet) {
            out.push_back(std::to_string(outlet));
        }
        return out;
    }
    // Outlets 1 … `outlets`, eight rows in each list, walked by one run.
    void fill(std::uint64_t outlets)
    {
        round = "filled";
        for (const auto& outlet : names(1, outlets)) {
            walk(outlet, R"({"id":1},{"id":2},{"id":3},{"id":4},{"id":5},{"id":6},{"id":7},{"id":8})");
        }
        end_round(outlets);
        round = "";
    }
    mirror::ListsStanding end_round(std::uint64_t parents)
    {
        mirror::RoundEnd end;
        end.parents = names(1, parents);
        end.parents_as_of = SystemClock().now();
        return must(mirror->end_round("stock", end));
    }
    void miss(const std::string& outlet, bool asked, bool absent)
    {
        mirror::MissedList missed;
        missed.parent = outlet;
        missed.why = "no";
        missed.asked_at = asked ? std::optional(clock.now()) : std::nullopt;
        missed.empty_as_of = absent ? std::optional(clock.now()) : std::nullopt;
        mirror::RunRecord run;
        run.run_id = fmt::format("missed-{}", ++runs_);
        run.resource = "stock";
        run.requests = 1;
        const std::vector<mirror::MissedList> all = {missed};
        must(mirror->record_failed_lists("stock", all, run));
    }
    std::string rows() const
    {
        return one("SELECT coalesce(group_concat(k), '') FROM (SELECT outlet || '/' || id AS k FROM stock ORDER BY "
                   "outlet, id)");
    }
    std::string count() const { return one("SELECT count(*) FROM stock"); }

    std::string round;  // "": each walk is one of its own

private:
    int runs_ = 0;
};

}  // namespace

TEST_CASE("the same key under two parents is two rows, and each list is cleared by itself")
{
    StockFixture fixture;
    fixture.walk("1", R"({"id":1,"n":5},{"id":2,"n":6})");
    fixture.walk("2", R"({"id":1,"n":7})");
    CHECK(fixture.rows() == "1/1,1/2,2/1");
    CHECK(fixture.item("[2,1]", "stock") == R"({"outlet":2,"id":1,"n":7})");
    CHECK(fixture.walk("1", R"({"id":2,"n":6})").deleted == 1);
    CHECK(fixture.rows() == "1/2,2/1");
    CHECK(fixture.walk("2", "").deleted == 1);
    CHECK(fixture.rows() == "1/2");
}

TEST_CASE("when a parent goes the rows of its list go with it, told and kept as deletions are")
{
    StockFixture fixture;
    fixture.walk("1", R"({"id":1},{"id":2})");
    fixture.walk("2", R"({"id":1})");
    fixture.end_round(2);
    CHECK(fixture.keep({"1", "2"}) == 0);
    CHECK(fixture.keep({"2"}) == 2);
    CHECK(fixture.rows() == "2/1");
    CHECK(fixture.one("SELECT group_concat(op || item_key, ' ') FROM _changes") == "delete[1,1] delete[1,2]");
    CHECK(fixture.one("SELECT count(*) FROM stock_deleted") == "2");
    CHECK(fixture.one("SELECT rows FROM freshness WHERE resource = 'stock'") == "1");
    CHECK(fixture.one("SELECT group_concat(name) FROM _slices") == "2");
    CHECK(fixture.one("SELECT mode || ' ' || deleted FROM _runs WHERE deleted > 0") == "parents 2");
    CHECK(fixture.keep({}) == 1);
    // A parent that comes back, or another one, gets rows of its own.
    fixture.walk("1", R"({"id":9})");
    CHECK(fixture.rows() == "1/9");
    CHECK(fixture.walk("1", R"({"id":9})").unchanged == 1);
}

TEST_CASE("rows of several parents that go at once wait, if they are many, for a second publication of the parents")
{
    StockFixture fixture;
    fixture.fill(20);
    SECTION("a few of many parents take their rows along at once")
    {
        CHECK(fixture.keep(StockFixture::names(5, 20)) == 32);
    }
    SECTION("one after the other, until it are many at once")
    {
        CHECK(fixture.keep(StockFixture::names(5, 20)) == 32);
        CHECK(fixture.keep(StockFixture::names(8, 20)) == 24);
        CHECK(fixture.keep(StockFixture::names(10, 20)) == 16);
        CHECK(fixture.keep(StockFixture::names(12, 20)) == 16);
        CHECK(fixture.keep(StockFixture::names(20, 20)) == 0);
        fixture.clock.advance_by(1min);
        CHECK(fixture.keep(StockFixture::names(19, 20)) == 56);
        CHECK(fixture.keep(StockFixture::names(20, 20)) == 8);
    }
    SECTION("a list of parents that was empty once takes nothing")
    {
        CHECK(fixture.keep({}) == 0);
        CHECK(fixture.keep({}) == 0);  // the same publication
        fixture.clock.advance_by(1min);
        CHECK(fixture.keep(StockFixture::names(1, 20)) == 0);
        fixture.clock.advance_by(1min);
        CHECK(fixture.keep({}) == 0);
        CHECK(fixture.count() == "160");
    }
    SECTION("and one that is empty twice takes all, told as deletions are")
    {
        CHECK(fixture.keep({}) == 0);
        fixture.clock.advance_by(1min);
        CHECK(fixture.keep({"3"}) == 152);
        CHECK(fixture.one("SELECT count(*) FROM _changes WHERE op = 'delete'") == "152");
        CHECK(fixture.one("SELECT group_concat(name) FROM _slices") == "3");
    }
    SECTION("the last parent is as good as all of them")
    {
        fixture.walk("30", R"({"id":1},{"id":2},{"id":3},{"id":4},{"id":5},{"id":6})");
        fixture.walk("30", R"({"id":7},{"id":8},{"id":9},{"id":10},{"id":11},{"id":12})", false);
        CHECK(fixture.keep({"30"}) == 0);
        fixture.clock.advance_by(1min);
        CHECK(fixture.keep({"30"}) == 160);
        CHECK(fixture.keep({}) == 0);
        fixture.clock.advance_by(1min);
        CHECK(fixture.keep({}) == 12);
    }
}

TEST_CASE("lists that a shrunken permission empties by the hundred lose many rows no sooner than two answers agree")
{
    StockFixture fixture;
    fixture.fill(20);
    must(fixture.mirror->begin_round("stock", fixture.clock.now()));
    fixture.round = "round";
    const auto walk_empty = [&fixture](std::uint64_t first, std::uint64_t last) {
        for (const auto& outlet : StockFixture::names(first, last)) {
            fixture.walk(outlet, "");
        }
    };
    SECTION("in one run")
    {
        walk_empty(1, 20);
    }
    SECTION("in a round that a crash has cut into two runs")
    {
        walk_empty(1, 3);
        fixture.clock.advance_by(1min);
        fixture.round = "the rest of the round";
        walk_empty(4, 20);
    }
    CHECK(fixture.count() == "128");  // a fifth went
    CHECK(fixture.one("SELECT candidates FROM _resources WHERE resource = 'stock'") == "128");
    fixture.end_round(20);
    fixture.clock.advance_by(1min);
    must(fixture.mirror->begin_round("stock", fixture.clock.now()));
    fixture.round = "the next round";
    fixture.walk("20", R"({"id":1},{"id":2},{"id":3},{"id":4},{"id":5},{"id":6},{"id":7},{"id":8})");
    walk_empty(1, 19);
    CHECK(fixture.count() == "8");
    // One row by itself goes at once, as ever.
    fixture.end_round(20);
    fixture.clock.advance_by(1min);
    must(fixture.mirror->begin_round("stock", fixture.clock.now()));
    fixture.round = "the last round";
    CHECK(fixture.walk("20", R"({"id":1},{"id":2},{"id":3},{"id":4},{"id":5},{"id":6},{"id":7})").deleted == 1);
}

TEST_CASE("what is missed anywhere in a table of many lists is found without a look at all of its rows")
{
    StockFixture fixture;
    fixture.fill(3);
    fixture.walk("2", R"({"id":1},{"id":2},{"id":3},{"id":4},{"id":5},{"id":6},{"id":7})", false);
    for (const auto condition : {mirror::missed_rows, mirror::held_rows}) {
        CHECK(fixture.one(fmt::format("EXPLAIN QUERY PLAN SELECT count(*) FROM _state_stock WHERE {}", condition))
                  .find("USING COVERING INDEX _missed_stock (missed") != std::string::npos);
    }
    CHECK(fixture.one("EXPLAIN QUERY PLAN UPDATE _state_stock SET missed = 0 WHERE missed <> 0 AND ord > 1")
              .find("_missed_stock") != std::string::npos);
    CHECK(fixture.one("SELECT count(*) FROM _state_stock WHERE missed <> 0") == "1");
}

TEST_CASE("how far the details of lists by parent are is counted once when a round over them ends")
{
    StockFixture fixture;
    fixture.specs[1].detail = mirror::DetailSpec{"url", 1h};
    fixture.reopen();
    fixture.walk("1", R"({"id":5,"url":"/1/5/"})");
    fixture.walk("2", R"({"id":5,"url":"/2/5/"})");
    const auto pending = [&] { return fixture.one("SELECT detail_pending FROM freshness WHERE resource = 'stock'"); };
    CHECK(pending() == "0");
    fixture.end_round(2);
    CHECK(pending() == "2");
}

TEST_CASE("a list whose parent is gone neither makes its table old nor hides that another was never asked for")
{
    StockFixture fixture;
    fixture.walk("9", R"({"id":1})");
    fixture.miss("9", true, false);
    fixture.clock.advance_by(1h);
    fixture.walk("1", R"({"id":1})");
    auto standing = fixture.end_round(2);
    CHECK(standing.lists == 2);
    CHECK(standing.never_asked == 1);
    CHECK(standing.stale == 0);
    CHECK(standing.rows == 1);
    CHECK(standing.why.empty());
    fixture.walk("2", R"({"id":1})");
    standing = fixture.end_round(2);
    CHECK(standing.never_asked == 0);
    CHECK(standing.as_of == fixture.clock.now());
    CHECK(standing.proven_as_of == fixture.clock.now());
    CHECK(fixture.one("SELECT as_of FROM freshness WHERE resource = 'stock'") == fixture.clock.now().to_text());
}

TEST_CASE("a held row of a parent that goes is held no more")
{
    StockFixture fixture;
    fixture.walk("1", R"({"id":1,"url":"https://x/1/"},{"id":2,"url":"https://x/2/"})");
    auto pass = must(fixture.mirror->begin_pass("stock", fixture.start("1")));
    must(pass->add_page(R"([{"id":2,"url":"https://x/2/"}])"));
    pass->add_evidence(must(pass->missing(5, {"url"})).front(), mirror::Witness::there);
    CHECK(must(pass->publish(complete_proof())).held == 1);
    CHECK(fixture.keep({"2"}) == 2);
    CHECK(must(fixture.mirror->held("stock", 5)).waiting == 0);
    CHECK(fixture.one("SELECT held FROM freshness WHERE resource = 'stock'") == "0");
}

TEST_CASE("a table by parent is filling until all lists were asked for once, and as old as the oldest of them")
{
    StockFixture fixture;
    const auto state = [&] { return fixture.one("SELECT state FROM freshness WHERE resource = 'stock'"); };
    const auto first = fixture.clock.now();
    must(fixture.mirror->begin_round("stock", first));
    fixture.walk("1", R"({"id":1})");
    CHECK(fixture.one("SELECT why FROM freshness WHERE resource = 'stock'") == "1 of the lists were walked so far");
    CHECK(must(fixture.mirror->summary("stock"))->lists_walked == 1);
    CHECK(must(fixture.mirror->round_at("stock")) == first);
    fixture.clock.advance_by(1min);
    fixture.walk("2", R"({"id":1})");
    CHECK(fixture.end_round(3).never_asked == 1);
    CHECK(state() == "filling");
    CHECK(fixture.one("SELECT count(*) FROM _changes") == "0");
    fixture.clock.advance_by(1min);
    fixture.walk("3", R"({"id":1})");
    const auto standing = fixture.end_round(3);
    CHECK_FALSE(must(fixture.mirror->round_at("stock")));
    CHECK(fixture.one("SELECT why IS NULL FROM freshness WHERE resource = 'stock'") == "1");
    CHECK_FALSE(must(fixture.mirror->summary("stock"))->lists_walked);
    CHECK(standing.never_asked == 0);
    CHECK(standing.as_of == first);
    CHECK(state() != "filling");
    CHECK(fixture.one("SELECT as_of FROM freshness WHERE resource = 'stock'") == first.to_text());
    CHECK(fixture.one("SELECT proven_as_of FROM freshness WHERE resource = 'stock'") == first.to_text());
    // The list of a parent that came later is news.
    fixture.walk("4", R"({"id":1})");
    CHECK(fixture.one("SELECT op || item_key FROM _changes") == "insert[4,1]");
}

TEST_CASE("a table without parents is fresh, and without rows")
{
    StockFixture fixture;
    fixture.end_round(0);
    CHECK(fixture.one("SELECT state FROM freshness WHERE resource = 'stock'") == "fresh");
}

TEST_CASE("a list that was missed keeps its rows, and the table the age of its oldest rows")
{
    StockFixture fixture;
    const auto first = fixture.clock.now();
    fixture.walk("1", R"({"id":1})");
    fixture.walk("2", "");
    fixture.end_round(2);
    fixture.clock.advance_by(1h);
    SECTION("one with rows")
    {
        fixture.walk("2", "");
        fixture.miss("1", true, true);
        const auto standing = fixture.end_round(2);
        CHECK(standing.missed == 1);
        CHECK(standing.stale == 1);
        CHECK(standing.parent == "1");
        CHECK(standing.why == "no");
        CHECK(standing.as_of == first);
        CHECK(fixture.rows() == "1/1");
        fixture.walk("1", R"({"id":1})");
        CHECK(fixture.end_round(2).missed == 0);
    }
    SECTION("one without, which the service says is not there")
    {
        fixture.walk("1", R"({"id":1})");
        fixture.miss("2", true, true);
        const auto standing = fixture.end_round(2);
        CHECK(standing.missed == 1);
        CHECK(standing.stale == 0);
        CHECK(standing.as_of == fixture.clock.now());
        CHECK(standing.proven_as_of == fixture.clock.now());
    }
    SECTION("one that was never seen, and is refused")
    {
        fixture.walk("1", R"({"id":1})");
        fixture.walk("2", "");
        fixture.miss("3", true, false);
        const auto standing = fixture.end_round(3);
        CHECK(standing.never_asked == 0);
        CHECK(standing.stale == 1);
        CHECK(standing.as_of == fixture.clock.now());
        CHECK_FALSE(standing.proven_as_of);
        CHECK(fixture.one("SELECT proven_as_of FROM freshness WHERE resource = 'stock'") == first.to_text());
    }
    SECTION("one that failed was not asked")
    {
        fixture.miss("3", false, false);
        CHECK(fixture.end_round(3).never_asked == 1);
        CHECK_FALSE(must(fixture.mirror->slices("stock")).back().asked_at);
    }
}

TEST_CASE("the walks of one round are one run and one proof, whose numbers add up")
{
    StockFixture fixture;
    for (const char* outlet : {"1", "2", "3"}) {
        auto start = fixture.start(outlet);
        start.run_id = "round";
        auto pass = must(fixture.mirror->begin_pass("stock", start));
        must(pass->add_page(R"([{"id":1},{"id":2}])"));
        auto proof = complete_proof();
        proof.complete = outlet != std::string("2");
        proof.kind = proof.complete ? "single_page" : "none";
        proof.pages = 1;
        proof.requests = static_cast<std::uint64_t>(outlet[0] - '0');
        must(pass->publish(proof));
    }
    CHECK(fixture.one("SELECT count(*) || ' ' || sum(requests) || ' ' || sum(added) || ' ' || max(rows) FROM _runs") ==
          "1 3 6 6");
    CHECK(fixture.one("SELECT kind || ' ' || complete || ' ' || pages || ' ' || distinct_keys FROM _proofs") ==
          "none 0 3 6");
    CHECK(fixture.one("SELECT group_concat(rows) FROM _slices") == "2,2,2");
}

TEST_CASE("a pass over what changed in a list counts for its age, and not for its proof")
{
    StockFixture fixture;
    fixture.walk("1", R"({"id":1},{"id":2})");
    const auto before = must(fixture.mirror->slices("stock")).front();
    fixture.clock.advance_by(1h);
    auto start = fixture.start("1");
    start.mode = mirror::RunMode::incremental;
    start.asks_changes = true;
    auto pass = must(fixture.mirror->begin_pass("stock", start));
    must(pass->add_page(R"([{"id":3}])"));
    auto proof = complete_proof();
    proof.complete = proof.whole = false;
    proof.changes_from = start.as_of;
    must(pass->publish(proof));
    const auto after = must(fixture.mirror->slices("stock")).front();
    CHECK(after.rows == 3);
    CHECK(after.key_set == before.key_set);
    CHECK(after.proven_as_of == before.proven_as_of);
    CHECK(after.whole_at == before.whole_at);
    CHECK(after.asked_at == start.started);
    CHECK(after.as_of == start.as_of);
    CHECK(after.changes_from == start.as_of);
}

TEST_CASE("what changed in a list fills nothing where the whole of it was never walked")
{
    StockFixture fixture;
    fixture.walk("1", R"({"id":1},{"id":2})");
    auto start = fixture.start("2");
    start.mode = mirror::RunMode::incremental;
    start.asks_changes = true;
    const auto refused = fixture.mirror->begin_pass("stock", start);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind() == ErrorKind::storage);
    start.mode = mirror::RunMode::full;
    start.asks_changes = false;
    CHECK(fixture.mirror->begin_pass("stock", start));
}

TEST_CASE("the details of a list by parent are those of its rows, though they do not say whose they are")
{
    StockFixture fixture;
    fixture.specs[1].detail = mirror::DetailSpec{"url", 1h};
    fixture.reopen();
    fixture.walk("1", R"({"id":5,"url":"/1/5/"})");
    fixture.walk("2", R"({"id":5,"url":"/2/5/"})");
    const auto next = must(fixture.mirror->next_details("stock", {5, 5}));
    REQUIRE(next.size() == 2);
    CHECK(next[0].key == "[2,5]");
    mirror::DetailAnswer answer;
    answer.key = next[0].key;
    answer.body = R"({"id":5,"note":"two"})";
    answer.asked = answer.fetched_at = fixture.clock.now();
    mirror::DetailRun run;
    run.run_id = "d";
    run.started = fixture.clock.now();
    const std::vector<mirror::DetailAnswer> answers = {answer};
    const auto outcome = must(fixture.mirror->put_details("stock", run, answers));
    CHECK(outcome.unreadable.empty());
    CHECK(outcome.added == 1);
    CHECK(fixture.one("SELECT outlet || ' ' || note FROM stock_detail") == "2 two");
}

TEST_CASE("the rows of a parent name the lists, once it was filled")
{
    StockFixture fixture;
    CHECK_FALSE(must(fixture.mirror->parent_rows("outlets", "id")).as_of);
    CHECK_FALSE(must(fixture.mirror->parent_rows("nothing", "id")).as_of);
    fixture.load({R"({"id":3,"code":"b c"},{"id":1,"code":"a"},{"id":2,"code":null})"}, "outlets");
    CHECK(must(fixture.mirror->parent_rows("outlets", "id")).keys == std::vector<std::string>{"1", "2", "3"});
    CHECK(must(fixture.mirror->parent_rows("outlets", "code")).keys == std::vector<std::string>{R"("a")", R"("b c")"});
    CHECK(fixture.mirror->parent_rows("outlets", "cod").error().kind() == ErrorKind::config);
    StockFixture empty;
    empty.load({""}, "outlets");
    CHECK(must(empty.mirror->parent_rows("outlets", "id")).as_of);
    StockFixture odd;
    odd.load({R"({"id":3,"code":1.5})"}, "outlets");
    CHECK(odd.mirror->parent_rows("outlets", "code").error().text().find("neither a text") != std::string::npos);
}

TEST_CASE("a member is put in front of every item, and never over one of another value")
{
    const auto with = [](const char* items) { return mirror::with_member(items, "outlet", "7"); };
    CHECK(must(with(R"([{"id":1}, {"id":2,"x":{"outlet":1}}])")) ==
          R"([{"outlet":7,"id":1},{"outlet":7,"id":2,"x":{"outlet":1}}])");
    CHECK(must(with("[]")) == "[]");
    CHECK(must(with(R"([{ }])")) == R"([{"outlet":7 }])");
    CHECK(must(with(R"([{"id":1,"outlet":7}])")) == R"([{"id":1,"outlet":7}])");
    CHECK(with(R"([{"id":1,"outlet":8}])").error().kind() == ErrorKind::config);
    CHECK(with(R"([{"id":1)").error().kind() == ErrorKind::protocol);
    CHECK(with(R"([3])").error().kind() == ErrorKind::protocol);
    CHECK(with("").error().kind() == ErrorKind::protocol);
    CHECK(must(mirror::with_member(R"([{"id":1}])", "a\"b", R"("x")")) == R"([{"a\"b":"x","id":1}])");
}

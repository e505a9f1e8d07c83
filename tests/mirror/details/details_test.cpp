#include "mirror/mirror_fixture.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <map>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

std::vector<mirror::ResourceSpec> detailed(std::vector<std::string> key = {"id"})
{
    return {{.name = "things", .key = std::move(key), .detail = mirror::DetailSpec{"url", 7 * 24h}}};
}

// Items as a list has them: few members, and their own address.
std::string listed(int first, int last, int version = 1)
{
    std::string page;
    for (int id = first; id <= last; ++id) {
        page += fmt::format(R"({}{{"id":{},"url":"https://api.test/things/{}/","v":{}}})", page.empty() ? "" : ",", id,
                            id, version);
    }
    return page;
}

std::string detail(int id, const std::string& rest = R"("cost":"1.50")")
{
    return fmt::format(R"({{"id":{},"url":"https://api.test/things/{}/",{}}})", id, id, rest);
}

// The answers that a daemon would hand over, one run for each.
struct Fetching {
    explicit Fetching(MirrorFixture& owner) : fixture(owner) {}

    mirror::DetailAnswer answer(const std::string& key, std::string body) const
    {
        return {.key = key,
                .body = std::move(body),
                .asked = fixture.clock.now(),
                .fetched_at = fixture.clock.now(),
                .retry_at = fixture.clock.now() + 1min};
    }
    mirror::DetailAnswer gone(const std::string& key) const
    {
        auto out = answer(key, "");
        out.kind = mirror::DetailAnswer::Kind::gone;
        return out;
    }
    mirror::DetailAnswer failed(const std::string& key, std::string why) const
    {
        auto out = answer(key, "");
        out.kind = mirror::DetailAnswer::Kind::failed;
        out.why = std::move(why);
        return out;
    }
    mirror::DetailOutcome put(const std::vector<mirror::DetailAnswer>& answers, bool keeps_up = true)
    {
        const mirror::DetailRun run{
            .run_id = "detail-1", .started = fixture.clock.now(), .requests = answers.size(), .keeps_up = keeps_up};
        return must(fixture.mirror->put_details("things", run, answers));
    }
    mirror::DetailOutcome put(const std::string& key, std::string body) { return put({answer(key, std::move(body))}); }
    void put_range(int first, int last, const std::string& rest = R"("cost":"1.50")")
    {
        std::vector<mirror::DetailAnswer> answers;
        for (int id = first; id <= last; ++id) {
            answers.push_back(answer(std::to_string(id), detail(id, rest)));
        }
        put(answers);
    }
    mirror::DetailFacts facts(Duration age = 7 * 24h) const
    {
        return must(fixture.mirror->details("things", fixture.clock.now() - age));
    }
    std::string next(std::size_t ready, std::size_t again = 0) const
    {
        std::string keys;
        for (const auto& item : must(fixture.mirror->next_details("things", {ready, again}))) {
            keys += (keys.empty() ? "" : " ") + item.key;
        }
        return keys;
    }

    MirrorFixture& fixture;
};

// The mirror of a list with `items` items, of which the first `fetched` have their details.
struct DetailedMirror {
    explicit DetailedMirror(int items, int fetched = 0)
    {
        fixture.load({listed(1, items)});
        if (fetched > 0) {
            fetching.put_range(1, fetched);
        }
    }

    MirrorFixture fixture{detailed()};
    Fetching fetching{fixture};
};

}  // namespace

TEST_CASE("tables of details and the view of both are there before the first pass")
{
    MirrorFixture fixture(detailed());
    CHECK(fixture.one("SELECT group_concat(name) FROM pragma_table_info('things_detail')") ==
          "id,_shape,_exact,_fetched_at");
    CHECK(fixture.one("SELECT \"table\" || ' ' || \"from\" || ' ' || \"to\" FROM "
                      "pragma_foreign_key_list('things_detail')") == "things id id");
    CHECK(fixture.one("SELECT count(*) FROM things_full") == "0");
    CHECK(fixture.sql("SELECT resource, state, detail_pending, detail_share FROM freshness ORDER BY 1") ==
          std::vector<std::string>{"things|filling|0|0.0", "things_detail|filling|0|0.0"});
    fixture.load({""});
    CHECK(fixture.sql("SELECT detail_share FROM freshness") == std::vector<std::string>{"1.0", "1.0"});
}

TEST_CASE("details are lossless by themselves, whatever their values")
{
    DetailedMirror detailed_mirror(3);
    auto& [fixture, fetching] = detailed_mirror;
    const std::vector<std::string> bodies = {
        R"({"id":1,"cost":"89.00","at":"2024-01-06T06:00:00.999999Z","parts":[{"a":1.50},null],"big":9007199254740993})",
        R"({"id":2,"cost":12.5,"at":"tomorrow","parts":{},"big":123456789012345678901234567890,"x":-0.0,"x":"again"})",
        R"({"id":3,"Cost":1e-07,"select":"*","_exact":true,"_fetched_at":"mine","":"\u0000"})",
    };
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        fetching.put(std::to_string(i + 1), bodies[i]);
    }
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        CHECK(fixture.item(std::to_string(i + 1), "things_detail") == bodies[i]);
    }
    CHECK(fixture.item("2") == R"({"id":2,"url":"https://api.test/things/2/","v":1})");
    CHECK(fixture.one("SELECT count(*) FROM _columns WHERE resource = 'things' AND \"key\" = 'cost'") == "0");
    CHECK(fixture.one("SELECT count(*) FROM _drift WHERE resource = 'things_detail' AND \"column\" = 'cost'") == "1");
    CHECK(fixture.one("SELECT count(_fetched_at) FROM things_detail") == "3");
}

TEST_CASE("a row that changes in its list while its detail is on the way is asked for once more")
{
    DetailedMirror detailed_mirror(3, 3);
    auto& [fixture, fetching] = detailed_mirror;
    fixture.clock.advance_by(1min);
    fixture.load({listed(1, 3, 2)});
    const std::vector<mirror::DetailAnswer> answers = {fetching.answer("1", detail(1)), fetching.gone("2"),
                                                       fetching.failed("3", "status 503")};
    fixture.clock.advance_by(1s);
    fixture.load({listed(1, 3, 3)});
    fixture.clock.advance_by(1s);
    fetching.put(answers);
    CHECK(fetching.next(50) == "1 2 3");
    CHECK(fetching.facts().pending() == 3);
    fetching.put_range(1, 3);
    CHECK(fetching.facts().pending() == 0);
}

TEST_CASE("rows that changed before the clock was set back are asked for once, not until that time comes again")
{
    DetailedMirror detailed_mirror(3, 3);
    auto& [fixture, fetching] = detailed_mirror;
    fixture.clock.advance_by(1min);
    fixture.load({listed(1, 3, 2)});
    fixture.clock.step_wall(-3h);
    const std::vector<mirror::DetailAnswer> answers = {fetching.answer("1", detail(1)), fetching.gone("2"),
                                                       fetching.failed("3", "status 503")};
    fixture.clock.advance_by(1s);
    fetching.put(answers);
    CHECK(fetching.next(50) == "");
    const auto facts = fetching.facts();
    CHECK(facts.changed == 0);
    CHECK(facts.gone == 1);
    CHECK(facts.behind == 1);
}

TEST_CASE("a row postponed by a clock that was set back by days since is asked for now")
{
    DetailedMirror detailed_mirror(1);
    auto& [fixture, fetching] = detailed_mirror;
    fetching.put({fetching.failed("1", "status 503")});
    REQUIRE(fetching.next(50) == "");
    fixture.clock.step_wall(-3 * 24h);
    CHECK(fetching.next(50) == "1");
    CHECK(fetching.facts().ready == 1);
}

TEST_CASE("details of an address that was given up are as old as they were, until the last of them was fetched anew")
{
    auto specs = detailed();
    specs[0].detail->source = "one";
    MirrorFixture fixture(specs);
    Fetching fetching(fixture);
    const auto as_of = [&] { return fixture.one("SELECT as_of FROM freshness WHERE resource = 'things_detail'"); };
    fixture.load({listed(1, 4)});
    const auto fetched_at = fixture.clock.now();
    for (const int id : {2, 1, 3}) {
        fetching.put_range(id, id);
        fixture.clock.advance_by(1h);
    }
    fetching.put({fetching.gone("4")});
    REQUIRE(as_of() == fetched_at.to_text());
    fixture.clock.advance_by(1h);
    fixture.load({listed(1, 4)});
    fixture.specs[0].detail->source = "two";
    fixture.reopen();
    CHECK(as_of() == fetched_at.to_text());
    CHECK(fixture.one("SELECT count(DISTINCT _fetched_at) FROM things_detail") == "3");
    CHECK(fetching.facts().pending() == 4);
    CHECK(fetching.next(50) == "2 1 3 4");
    fetching.put_range(2, 2);
    CHECK(as_of() == (fetched_at + 1h).to_text());
    fetching.put_range(1, 1);
    fetching.put({fetching.failed("3", "status 503")});
    CHECK(as_of() == (fetched_at + 2h).to_text());
    const auto now = fixture.clock.now();
    fetching.put_range(3, 4);
    CHECK(as_of() == now.to_text());
}

TEST_CASE("the view joins list and detail, columns of one name told apart by a suffix")
{
    DetailedMirror detailed_mirror(2);
    auto& [fixture, fetching] = detailed_mirror;
    fetching.put("1", R"({"id":1,"URL":"other","url":"u","url_detail":"v","cost":"2"})");
    CHECK(fixture.one("SELECT group_concat(name) FROM pragma_table_info('things_full')") ==
          "id,url,v,URL_detail,url_2,url_detail_detail,cost,_fetched_at");
    CHECK(fixture.sql("SELECT id, v, cost, _fetched_at IS NULL FROM things_full ORDER BY id") ==
          std::vector<std::string>{"1|1|2|0", "2|1|null|1"});
    fixture.load({R"({"id":1,"url":"u","v":1,"cost":"5"},{"id":2,"url":"u","v":1})"});
    CHECK(fixture.sql("SELECT cost, cost_detail FROM things_full ORDER BY id") ==
          std::vector<std::string>{"5|2", "null|null"});
}

TEST_CASE("what changed stands first in the line, then what was never fetched, then the oldest again")
{
    DetailedMirror detailed_mirror(6);
    auto& [fixture, fetching] = detailed_mirror;
    CHECK(fetching.next(50, 50) == "1 2 3 4 5 6");
    for (const int id : {4, 2}) {
        fixture.clock.advance_by(1min);
        fetching.put_range(id, id);
    }
    CHECK(fetching.next(50) == "1 3 5 6");
    CHECK(fetching.next(50, 50) == "1 3 5 6 4 2");
    CHECK(fetching.next(2, 1) == "1 3 4");
    fixture.clock.advance_by(1min);
    fixture.load({listed(1, 4) + "," + listed(5, 5, 2) + "," + listed(6, 7)});
    CHECK(fetching.next(50, 50) == "5 7 1 3 6 4 2");
    fixture.load(
        {listed(1, 1) + "," + listed(2, 2, 3) + "," + listed(3, 4) + "," + listed(5, 5, 2) + "," + listed(6, 7)});
    CHECK(fetching.next(1) == "2");

    fixture.reopen();
    CHECK(fetching.next(1) == "2");
    const auto facts = fetching.facts();
    CHECK(facts.rows == 7);
    CHECK(facts.fetched == 2);
    CHECK(facts.changed == 3);
    CHECK(facts.never == 3);
    CHECK(facts.ready == 6);
    CHECK_FALSE(facts.filled);
}

TEST_CASE("whoever asks for an item knows whether its detail is here already")
{
    DetailedMirror detailed_mirror(3, 2);
    auto& [fixture, fetching] = detailed_mirror;
    fetching.put({fetching.gone("2")});
    fixture.load({listed(1, 3, 2)});
    std::map<std::string, bool> has_detail;
    for (const auto& item : must(fixture.mirror->next_details("things", {5, 5}))) {
        has_detail[item.key] = item.has_detail;
    }
    CHECK(has_detail == std::map<std::string, bool>{{"1", true}, {"2", false}, {"3", false}});
}

TEST_CASE("the address is what the list's row says")
{
    MirrorFixture fixture(detailed());
    fixture.load({R"({"id":1,"url":"https://api.test/things/1/?a=\u00e9"},{"id":2},{"id":3,"url":7})"});
    const auto items = must(fixture.mirror->next_details("things", {10, 0}));
    REQUIRE(items.size() == 3);
    CHECK(items[0].address == "https://api.test/things/1/?a=é");
    CHECK(items[1].address.empty());
    CHECK(items[2].address.empty());
}

TEST_CASE("a detail that did not change is not written anew, only dated")
{
    DetailedMirror detailed_mirror(3, 3);
    auto& [fixture, fetching] = detailed_mirror;
    const auto before = fixture.one("SELECT max(seq) FROM _changes");
    fixture.clock.advance_by(24h);
    const auto outcome =
        fetching.put({fetching.answer("1", detail(1)), fetching.answer("2", detail(2, R"("cost":"9")"))});
    CHECK(outcome.unchanged == 1);
    CHECK(outcome.changed == 1);
    CHECK(fixture.sql("SELECT item_key, op, before, after FROM _changes WHERE resource = 'things_detail'") ==
          std::vector<std::string>{R"(2|update|{"cost":"1.50"}|{"cost":"9"})"});
    CHECK(
        fixture.one("SELECT group_concat(_fetched_at < '2024-01-07') FROM (SELECT * FROM things_detail ORDER BY id)") ==
        "0,0,1");
    CHECK(fetching.next(0, 9) == "3 1 2");
}

TEST_CASE("the first load of details writes no changes, what comes after it does")
{
    DetailedMirror detailed_mirror(2, 1);
    auto& [fixture, fetching] = detailed_mirror;
    CHECK(fixture.one("SELECT state FROM freshness WHERE resource = 'things_detail'") == "filling");
    fetching.put_range(2, 2);
    CHECK(fixture.one("SELECT count(*) FROM _changes") == "0");
    fixture.load({listed(1, 3)});
    fetching.put_range(3, 3);
    CHECK(fixture.sql("SELECT resource, item_key, op FROM _changes ORDER BY seq") ==
          std::vector<std::string>{"things|3|insert", "things_detail|3|insert"});
    CHECK(fixture.one("SELECT run_id || ' ' || requests || ' ' || added FROM _runs WHERE mode = 'detail'") ==
          "detail-1 3 3");
}

TEST_CASE("a row that leaves the list takes its detail and its place in the line with it, in one transaction")
{
    const bool composite = GENERATE(false, true);
    MirrorFixture fixture(composite ? detailed({"id", "v"}) : detailed());
    Fetching fetching(fixture);
    fixture.load({listed(1, 4)});
    for (int id = 1; id <= 4; ++id) {
        fetching.put(composite ? fmt::format("[{},1]", id) : std::to_string(id),
                     fmt::format(R"({{"id":{},"v":1,"cost":"3"}})", id));
    }
    fixture.load({listed(1, 2) + "," + listed(4, 4)});
    fixture.load({listed(1, 2) + "," + listed(4, 4)});
    CHECK(fixture.one("SELECT group_concat(id) FROM things") == "1,2,4");
    CHECK(fixture.one("SELECT group_concat(id) FROM things_detail") == "1,2,4");
    CHECK(fixture.one("SELECT group_concat(k1) FROM _queue_things") == "1,2,4");
    CHECK(fixture.sql("SELECT resource, op FROM _changes ORDER BY 1") ==
          std::vector<std::string>{"things|delete", "things_detail|delete"});
    CHECK(fixture.one("SELECT count(DISTINCT run_id) FROM _changes") == "1");
    CHECK(fixture.one("SELECT rows FROM freshness WHERE resource = 'things_detail'") == "3");
    // An answer that was under way when its row left.
    const auto late = fetching.put(composite ? "[3,1]" : "3", R"({"id":3,"v":1,"cost":"3"})");
    CHECK(late.unlisted == 1);
    CHECK(fixture.one("SELECT count(*) FROM things_detail") == "3");
}

TEST_CASE("details of held rows stay until a person says that the rows were deleted")
{
    DetailedMirror detailed_mirror(3, 3);
    auto& [fixture, fetching] = detailed_mirror;
    auto pass = fixture.begin();
    must(pass->add_page("[" + listed(1, 2) + "]"));
    const auto missing = must(pass->missing(5, {"url"}));
    REQUIRE(missing.size() == 1);
    pass->add_evidence(missing[0], mirror::Witness::there);
    must(pass->publish(complete_proof()));
    CHECK(fixture.one("SELECT count(*) FROM things_detail") == "3");
    must(fixture.mirror->decide("things", {mirror::HeldFate::accept, {}}));
    CHECK(fixture.one("SELECT group_concat(id) FROM things_detail") == "1,2");
    CHECK(fixture.one("SELECT detail_share FROM freshness WHERE resource = 'things'") == "1.0");
}

TEST_CASE("an item that is gone leaves the details, stays in the list, and is asked for again in its turn only")
{
    DetailedMirror detailed_mirror(3, 3);
    auto& [fixture, fetching] = detailed_mirror;
    fixture.clock.advance_by(1min);
    CHECK(fetching.put({fetching.gone("2")}).removed == 1);
    CHECK(fixture.one("SELECT group_concat(id) FROM things_detail") == "1,3");
    CHECK(fixture.one("SELECT count(*) FROM things") == "3");
    CHECK(fetching.next(9) == "");
    CHECK(fetching.next(0, 9) == "1 3 2");
    CHECK(fixture.one("SELECT detail_share || ' ' || detail_pending FROM freshness WHERE resource = 'things'") ==
          "0.666666666666667 0");
    CHECK(fetching.facts().overdue == 0);
    fixture.clock.advance_by(8 * 24h);
    CHECK(fetching.facts().overdue == 3);
    fetching.put("2", detail(2));
    CHECK(fixture.one("SELECT group_concat(id) FROM things_detail") == "1,2,3");
}

TEST_CASE("answers that are no such item set their row behind, and the others of the batch go on")
{
    DetailedMirror detailed_mirror(7);
    auto& [fixture, fetching] = detailed_mirror;
    const auto outcome = fetching.put({
        fetching.answer("1", detail(1)),
        fetching.answer("2", R"({"id":2,"a":[1,)"),
        fetching.answer("3", R"({"cost":1})"),
        fetching.answer("4", R"({"id":5,"cost":1})"),
        fetching.answer("5", "[" + detail(5) + "]"),
        fetching.failed("6", "the service answered 500"),
        fetching.answer("7", detail(7)),
    });
    CHECK(outcome.added == 2);
    CHECK(outcome.unreadable.size() == 4);
    CHECK(fixture.one("SELECT group_concat(id) FROM things_detail") == "1,7");
    CHECK(fixture.one("SELECT why FROM _queue_things WHERE k1 = 3").find("its key \"id\" is missing") !=
          std::string::npos);
    CHECK(fixture.one("SELECT why FROM _queue_things WHERE k1 = 4").find("another item, 5") != std::string::npos);
    CHECK(fixture.one("SELECT why FROM _queue_things WHERE k1 = 5").find("a list instead") != std::string::npos);
    auto facts = fetching.facts();
    CHECK(facts.behind == 5);
    CHECK(facts.ready == 0);
    CHECK(facts.next_ready == fixture.clock.now() + 1min);
    CHECK(facts.fault.starts_with("2: "));
    CHECK(facts.filled);
    CHECK(fetching.next(9) == "");
    fixture.clock.advance_by(1min);
    CHECK(fetching.next(9) == "2 3 4 5 6");
    CHECK(must(fixture.mirror->next_details("things", {1, 0}))[0].tries == 1);
    fetching.put("2", detail(2));
    CHECK(fetching.facts().behind == 4);
}

TEST_CASE("freshness tells the share, what waits and the oldest, and the details are late by their own clock")
{
    MirrorFixture fixture(detailed());
    fixture.clock.set_wall(SystemClock().now());
    Fetching fetching(fixture);
    fixture.load({listed(1, 4)});
    fetching.put_range(1, 1);
    CHECK(fixture.sql("SELECT resource, state, detail_share, detail_pending FROM freshness ORDER BY 1") ==
          std::vector<std::string>{"things|fresh|0.25|3", "things_detail|filling|0.25|3"});
    fixture.clock.advance_by(1h);
    fetching.put_range(2, 4);
    CHECK(fixture.one("SELECT state FROM freshness WHERE resource = 'things_detail'") == "fresh");
    CHECK(fixture.one("SELECT detail_oldest = (SELECT min(_fetched_at) FROM things_detail) AND as_of = detail_oldest "
                      "FROM freshness WHERE resource = 'things_detail'") == "1");
    CHECK(fixture.one("SELECT round(julianday(late_at) - julianday(as_of), 3) FROM freshness WHERE resource = "
                      "'things_detail'") == "7.0");
    fixture.load({listed(1, 5)});
    CHECK(fixture.one("SELECT state || ' ' || detail_share || ' ' || detail_pending FROM freshness WHERE resource = "
                      "'things_detail'") == "fresh 0.8 1");
    // What cannot be kept up with is late before it is old.
    fixture.clock.set_wall(SystemClock().now() - 10s);
    fetching.put({fetching.answer("5", detail(5))}, false);
    CHECK(fixture.one("SELECT state FROM freshness WHERE resource = 'things_detail'") == "late");
    fetching.put({fetching.answer("5", detail(5))}, true);
    CHECK(fixture.one("SELECT state FROM freshness WHERE resource = 'things_detail'") == "fresh");
}

TEST_CASE("a pass that changed nothing in a list does not count how far its details are, and the next that did does")
{
    MirrorFixture fixture(detailed());
    Fetching fetching(fixture);
    const auto share = [&] { return fixture.one("SELECT detail_pending FROM freshness WHERE resource = 'things'"); };
    const auto plant = [&] {
        auto database = must(storage::Database::open(fixture.file(), storage::OpenMode::read_write_create));
        must(database.execute("UPDATE _resources SET detail_pending = 77"));
    };
    fixture.load({listed(1, 3)});
    CHECK(share() == "3");
    plant();
    fixture.load({listed(1, 3)});
    CHECK(share() == "3");  // without a detail they are as old as the list
    fetching.put_range(1, 2);
    CHECK(share() == "1");
    plant();
    fixture.load({listed(1, 3)});
    CHECK(share() == "77");
    fixture.load({listed(1, 4)});
    CHECK(share() == "2");
    plant();
    fixture.load({listed(1, 3)});
    CHECK(share() == "77");
    fixture.load({listed(1, 3)});  // now it is deleted
    CHECK(share() == "1");
}

TEST_CASE("what is excluded from a list is excluded from its details, and wiped from both when that comes later")
{
    auto specs = detailed();
    specs[0].exclude = {"by.email"};
    MirrorFixture fixture(specs);
    Fetching fetching(fixture);
    fixture.load({listed(1, 2)});
    fetching.put("1", R"({"id":1,"by":{"email":"ann@x.test","name":"Ann"},"phone":"555-0199"})");
    fetching.put("2", R"({"id":2})");
    fetching.put("1", R"({"id":1,"by":{"email":"ann@x.test","name":"Anna"},"phone":"555-0199"})");
    CHECK(fixture.item("1", "things_detail") == R"({"id":1,"by":{"name":"Anna"},"phone":"555-0199"})");

    const bool retired = GENERATE(false, true);
    fixture.specs[0].exclude.push_back("phone");
    if (retired) {
        fixture.specs[0].detail.reset();
    }
    fixture.reopen();
    CHECK(fixture.one("SELECT count(*) FROM _changes") == "0");
    must(fixture.mirror->checkpoint(storage::CheckpointMode::truncate));
    const auto bytes = read_file(fixture.file());
    CHECK(bytes.find("555-0199") == std::string::npos);
    CHECK(bytes.find("ann@x") == std::string::npos);
    if (!retired) {
        CHECK(fixture.one("SELECT count(*) FROM things_full") == "0");
        fixture.load({listed(1, 2)});
        CHECK(fetching.next(9) == "1 2");
    }
}

TEST_CASE("details that are wanted later begin with every row the list has; not wanted any more, they are retired")
{
    MirrorFixture fixture({{.name = "things"}});
    Fetching fetching(fixture);
    fixture.load({listed(1, 3)});
    fixture.specs = detailed();
    fixture.reopen();
    CHECK(fetching.next(9) == "1 2 3");
    fetching.put_range(1, 3);
    fixture.specs[0].detail.reset();
    fixture.reopen();
    CHECK(fixture.one("SELECT state FROM freshness WHERE resource = 'things_detail'") == "retired");
    CHECK(fixture.one("SELECT count(cost) FROM things_full") == "3");
    // Rows that go meanwhile take their details with them all the same.
    fixture.load({listed(1, 2)});
    fixture.load({listed(1, 2)});
    CHECK(fixture.one("SELECT count(*) FROM things_detail") == "2");
    fixture.specs = detailed();
    fixture.reopen();
    CHECK(fetching.next(9) == "");
    CHECK(fixture.one("SELECT state FROM freshness WHERE resource = 'things_detail'") != "retired");
}

TEST_CASE("a key that becomes another kind, and a column that is retyped, keep when each detail was fetched")
{
    DetailedMirror detailed_mirror(3);
    auto& [fixture, fetching] = detailed_mirror;
    fetching.put_range(1, 3, R"("cost":"1.50")");
    const auto dates = fixture.sql("SELECT id, _fetched_at FROM things_detail ORDER BY id");
    fixture.clock.advance_by(1h);
    for (int id = 1; id <= 3; ++id) {
        fetching.put(std::to_string(id), detail(id, R"("cost":2)"));
    }
    const auto later = fixture.sql("SELECT _fetched_at FROM things_detail ORDER BY id");
    CHECK(must(fixture.mirror->retype("things_detail", "cost")).after == "integer");
    CHECK(fixture.sql("SELECT _fetched_at FROM things_detail ORDER BY id") == later);
    CHECK(fixture.one("SELECT count(*) FROM pragma_foreign_key_list('things_detail')") == "1");

    fixture.load({listed(1, 3) + R"(,{"id":"7","url":"https://api.test/things/7/","v":1})"});
    CHECK(fetching.next(9) == R"("7")");
    fetching.put(R"("7")", R"({"id":"7","cost":1})");
    CHECK(fixture.sql("SELECT _fetched_at FROM things_detail WHERE typeof(id) = 'integer' ORDER BY id") == later);
    CHECK(fixture.one("SELECT count(*) FROM things_full WHERE _fetched_at IS NOT NULL") == "4");
    CHECK(fixture.one("SELECT count(*) FROM pragma_foreign_key_list('things_detail')") == "1");
}

TEST_CASE("a key of the list that is another one drops the details of the rows that were")
{
    DetailedMirror detailed_mirror(2, 2);
    auto& [fixture, fetching] = detailed_mirror;
    fixture.specs = detailed({"url"});
    fixture.reopen();
    CHECK(fixture.one("SELECT count(*) FROM things_detail") == "0");
    fixture.load({listed(1, 2)});
    CHECK(fetching.next(1) == R"("https://api.test/things/1/")");
}

#include "mirror/publish/row_comparison.hpp"

#include "mirror/mirror_fixture.hpp"
#include "mirror/rows/states.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <map>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

const std::string first_page = R"({"id":1,"name":"Sauce","price":89.50,"at":"2024-01-06T08:00:00+02:00"},)"
                               R"({"id":2,"name":"Soup","price":7.0,"at":null,"lines":[{"a":1}]})";
const std::string second_page = R"({"id":3,"name":"Salt","price":1.25,"at":"2024-01-06T06:00:00Z"})";

// Values that the file has otherwise from now on, and nothing that this mirror knows of the file shows it.
void damage(MirrorFixture& fixture, const std::string& sql)
{
    must(fixture.mirror->close_idle());
    {
        auto other = must(storage::Database::open(fixture.file(), storage::OpenMode::read_write_create));
        must(other.execute(sql));
    }
    fixture.reopen();
}

std::string all_rows(const MirrorFixture& fixture, const std::string& columns = "*")
{
    std::string text;
    for (const auto& row : fixture.sql("SELECT " + columns + " FROM things ORDER BY 1, 2")) {
        text += row + "\n";
    }
    return text;
}

// Each value as it stands in the file: also its storage class, and all digits of a number.
std::string as_stored(const MirrorFixture& fixture)
{
    return all_rows(fixture, "id, typeof(name), name, printf('%!.20g', price), at, lines, _shape, _exact");
}

std::string found_in(const MirrorFixture& fixture)
{
    std::string found;
    for (const auto& repair : fixture.mirror->repairs()) {
        found += repair.found + "; " + repair.done + "\n";
    }
    return found;
}

}  // namespace

TEST_CASE("a value that changed in the file is put right within a week, by a pass that finds the item unchanged")
{
    MirrorFixture fixture({{.name = "things", .changes = mirror::ChangeDetail::values}});
    fixture.load({first_page, second_page});
    const auto before = as_stored(fixture);
    const auto* const sql = GENERATE(
        "UPDATE things SET name = 'Sause' WHERE id = 1",
        "UPDATE things SET price = 89.25 WHERE id = 1",  // the exact text stands beside it
        "UPDATE things SET _exact = NULL WHERE id = 1",
        "UPDATE things SET at = '2024-01-06T06:00:00.000000Z' WHERE id = 2",
        "UPDATE things SET _shape = 2 WHERE id = 1", "UPDATE things SET lines = NULL",
        "UPDATE things SET name = CAST(name AS BLOB) WHERE id = 3", "UPDATE things SET price = 7 + 1e-15 WHERE id = 2",
        // Rows that nobody can read any more.
        "UPDATE things SET _shape = 99 WHERE id = 1", "UPDATE things SET _exact = 'x' WHERE id = 1");
    INFO(sql);
    damage(fixture, sql);
    const auto damaged = as_stored(fixture);
    REQUIRE(damaged != before);

    fixture.clock.advance_by(7 * 24h - 1min);
    CHECK(fixture.load({first_page, second_page}).changed == 0);
    CHECK(as_stored(fixture) == damaged);
    CHECK(found_in(fixture).empty());

    fixture.clock.advance_by(1min);
    CHECK(fixture.load({first_page, second_page}).unchanged == 3);
    CHECK(as_stored(fixture) == before);
    CHECK(fixture.mirror->has_news());
    CHECK(found_in(fixture).starts_with("had rows with other values than were written: 1 of things, key "));
    must(fixture.mirror->close_idle());
    fixture.reopen();
    must(fixture.mirror->open());
    CHECK_FALSE(found_in(fixture).empty());

    // Not for ever.
    fixture.clock.advance_by(7 * 24h);
    fixture.load({first_page, second_page});
    CHECK(fixture.mirror->repairs().size() == 1);
}

TEST_CASE("readers of the feed are told of a row that is put right")
{
    MirrorFixture fixture({{.name = "things", .changes = mirror::ChangeDetail::values}});
    fixture.load({first_page, second_page});
    damage(fixture, "UPDATE things SET name = 'Sause' WHERE id = 1");
    fixture.clock.advance_by(7 * 24h);
    fixture.load({first_page, second_page});
    CHECK(fixture.sql("SELECT op, item_key, before, after FROM _changes") ==
          std::vector<std::string>{R"(update|1|{"name":"Sause"}|{"name":"Sauce"})"});
}

TEST_CASE("rows are compared by the next pass once another program has written to the open file")
{
    MirrorFixture fixture;
    fixture.load({first_page, second_page});
    {
        auto other = must(storage::Database::open(fixture.file(), storage::OpenMode::read_write_create));
        must(other.execute("UPDATE things SET name = upper(name)"));
    }
    fixture.clock.advance_by(1min);
    fixture.load({first_page, second_page});
    CHECK(fixture.one("SELECT group_concat(name) FROM things") == "Sauce,Soup,Salt");
    // The first page that finds some tells; all of the pass are one repair.
    CHECK(
        found_in(fixture).starts_with("had rows with other values than were written: 3 of things, among them key 1; "));
}

TEST_CASE("a row with other values is put right at once, also by a pass that publishes nothing")
{
    MirrorFixture fixture;
    fixture.load({first_page, second_page});
    damage(fixture, "UPDATE things SET name = 'Sause' WHERE id = 1");
    fixture.clock.advance_by(7 * 24h);
    auto pass = fixture.begin();
    must(pass->add_page("[" + first_page + "]"));
    pass->abandon();
    CHECK(fixture.one("SELECT name FROM things WHERE id = 1") == "Sauce");
    CHECK_FALSE(found_in(fixture).empty());
}

TEST_CASE("a row that the table lacks is put right")
{
    MirrorFixture fixture({{.name = "things", .changes = mirror::ChangeDetail::values}});
    fixture.load({first_page, second_page});
    const auto before = as_stored(fixture);
    damage(fixture, "UPDATE things SET id = 30 WHERE id = 3");  // the hourly check would find it
    auto database = must(storage::Database::open(fixture.file(), storage::OpenMode::read_write_create));
    auto facts = must(mirror::load_facts(database, "things"));
    REQUIRE(facts);
    auto comparison = must(mirror::RowComparison::open(database, *facts, mirror::ChangeDetail::values, "run"));
    mirror::PageReader reader("things", {"id"});
    const auto text = "[" + second_page + "]";
    auto page = must(reader.read(text));
    mirror::StateTable states(database, "_state_things", facts->state_shape());
    must(states.look_up(page, &mirror::PageItem::known));
    must(comparison->compare(page, fixture.clock.now()));
    CHECK(comparison->put_right() == 1);
    CHECK(comparison->first_key() == "3");
    must(database.execute("DELETE FROM things WHERE id = 30"));
    CHECK(as_stored(fixture) == before);
}

TEST_CASE("what a pass that was open meanwhile has compared counts for nothing once another program has written")
{
    MirrorFixture fixture({{.name = "things"}, {.name = "others"}});
    fixture.load({first_page}, "things");
    fixture.load({first_page}, "others");
    fixture.clock.advance_by(7 * 24h);
    auto pass = fixture.begin("things");  // it compares
    must(pass->add_page("[" + first_page + "]"));
    fixture.clock.advance_by(1min);
    {
        auto other = must(storage::Database::open(fixture.file(), storage::OpenMode::read_write_create));
        must(other.execute("UPDATE things SET name = 'Sause' WHERE id = 1"));
    }
    fixture.load({first_page}, "others");
    fixture.clock.advance_by(1min);
    must(pass->publish(complete_proof()));
    CHECK(fixture.one("SELECT name FROM things WHERE id = 1") == "Sause");
    fixture.load({first_page}, "things");
    CHECK(fixture.one("SELECT name FROM things WHERE id = 1") == "Sauce");
}

TEST_CASE("rows whose values are written in another way, but mean the same, are no damage")
{
    struct Case {
        const char* name;
        std::vector<std::string> pages;  // loaded one after the other
        const char* retype = "";
    };
    const auto one = GENERATE(
        Case{"instants in a column of texts",
             {R"({"id":1,"v":"2024-01-06T06:00:00Z"},{"id":3,"v":"2024-01-06T08:00:00+02:00"})",
              R"({"id":1,"v":"2024-01-06T06:00:00Z"},{"id":3,"v":"2024-01-06T08:00:00+02:00"},{"id":2,"v":"soon"})"},
             "v"},
        Case{"escaped instants in a column of instants",
             {R"({"id":2,"v":"x"})", R"({"id":2,"v":"x"},{"id":1,"v":"2024-01-06T08:00:00\u002b02:00"})",
              R"({"id":1,"v":"2024-01-06T08:00:00\u002b02:00"})"},
             "v"},
        Case{"several inexact values in another order",
             {R"({"id":1,"a":1.50,"b":2.50,"v":7})",
              R"({"b":2.50,"a":1.50,"id":2,"v":"0032470"},{"id":1,"a":1.50,"b":2.50,"v":7})"},
             "v"},
        Case{"escaped names",
             {R"({"id":1,"gr\u00f6\u00dfe":1.50,"v":7})", R"({"id":1,"gr\u00f6\u00dfe":1.50,"v":7},{"id":2,"v":"x"})"},
             "v"},
        Case{"a text of digits in a column that was always null at first",
             {R"({"id":1,"v":null})", R"({"id":1,"v":null},{"id":2,"v":7})",
              R"({"id":1,"v":null},{"id":2,"v":7},{"id":3,"v":"0032470"})"}},
        Case{"a text of 16 digits in a column of numbers",
             {R"({"id":1,"v":1.5})", R"({"id":1,"v":1.5},{"id":2,"v":"9007199254740993"})"}});
    INFO(one.name);
    MirrorFixture fixture;
    for (const auto& page : one.pages) {
        fixture.load({page});
        fixture.load({page});
    }
    if (one.retype[0] != '\0') {
        must(fixture.mirror->retype("things", one.retype));
    }
    const auto before = all_rows(fixture);
    for (int week = 0; week < 2; ++week) {
        fixture.clock.advance_by(7 * 24h);
        fixture.load({one.pages.back()});
        CHECK(found_in(fixture).empty());
        CHECK(all_rows(fixture) == before);
    }
}

TEST_CASE("keys of texts, of several parts and of both kinds are compared")
{
    struct Case {
        std::vector<std::string> key;
        std::string page;
    };
    const auto one = GENERATE(Case{{"id"}, R"({"id":"a","v":1},{"id":"b","v":2})"},
                              Case{{"id"}, R"({"id":7,"v":1},{"id":"7","v":2})"},
                              Case{{"a", "id"}, R"({"a":1,"id":"x","v":1},{"a":2,"id":"x","v":2})"});
    INFO(one.page);
    MirrorFixture fixture({{.name = "things", .key = one.key}});
    fixture.load({one.page});
    const auto before = all_rows(fixture);
    damage(fixture, "UPDATE things SET v = 9 WHERE v = 2");
    fixture.clock.advance_by(7 * 24h);
    fixture.load({one.page});
    CHECK(all_rows(fixture) == before);
}

TEST_CASE("each window and each list of a parent is compared once a week")
{
    const bool by_parent = GENERATE(false, true);
    INFO((by_parent ? "by parent" : "window"));
    mirror::ResourceSpec spec{.name = "things", .axis = "t"};
    if (by_parent) {
        spec = {.name = "things", .key = {"outlet", "id"}, .axis = "outlets id outlet", .parent_member = "outlet"};
    }
    MirrorFixture fixture({{.name = "outlets"}, spec});
    fixture.load({R"({"id":1},{"id":2})"}, "outlets");
    int runs = 0;
    const auto walk = [&](int slice) {
        mirror::PassStart start{
            .run_id = fmt::format("r{}", ++runs), .started = fixture.clock.now(), .as_of = fixture.clock.now()};
        auto& of = start.slice.emplace();
        of.name = std::to_string(slice);
        if (by_parent) {
            of.member = "outlet";
            of.value = of.name;
        } else {
            of.first = slice * 10;
            of.past = of.first + 10;
            of.field = "t";
            of.place_of = [](std::string_view text) { return std::optional(std::stoll(std::string(text))); };
        }
        auto pass = must(fixture.mirror->begin_pass("things", start));
        must(pass->add_page(fmt::format(R"([{{"id":{0},"t":"{1}","v":5}},{{"id":{2},"t":"{1}","v":6}}])", slice,
                                        slice * 10 + 1, slice + 10)));
        must(pass->publish(complete_proof()));
        return fixture.one("SELECT count(*) FROM things WHERE v = 9");
    };
    walk(1);
    fixture.clock.advance_by(24h);
    walk(2);
    const auto before = all_rows(fixture);
    damage(fixture, "UPDATE things SET v = 9 WHERE v = 6");
    fixture.clock.advance_by(6 * 24h);
    CHECK(walk(1) == "1");
    CHECK(walk(2) == "1");
    fixture.clock.advance_by(24h);
    CHECK(walk(1) == "1");
    CHECK(walk(2) == "0");
    CHECK(all_rows(fixture) == before);
    // Found by two passes a day apart.
    CHECK(fixture.mirror->repairs().size() == 2);
}

TEST_CASE("details are compared whenever they are fetched")
{
    MirrorFixture fixture({{.name = "things", .detail = mirror::DetailSpec{"url", 7 * 24h}}});
    fixture.load({R"({"id":1,"url":"https://api.test/things/1/"})"});
    const auto fetch = [&fixture] {
        const mirror::DetailAnswer answer{.key = "1",
                                          .body = R"({"id":1,"cost":"1.50"})",
                                          .asked = fixture.clock.now(),
                                          .fetched_at = fixture.clock.now(),
                                          .retry_at = fixture.clock.now() + 1min};
        const mirror::DetailRun run{.run_id = "d", .started = fixture.clock.now(), .requests = 1, .keeps_up = true};
        must(fixture.mirror->put_details("things", run, {&answer, 1}));
    };
    fetch();
    damage(fixture, "UPDATE things_detail SET cost = '1.40'");
    fetch();
    CHECK(fixture.one("SELECT cost, _fetched_at IS NOT NULL FROM things_detail") == "1.50|1");
}

TEST_CASE("a pass for changes compares nothing, and leaves the comparison to the next walk over the whole list")
{
    MirrorFixture fixture;
    fixture.load({first_page, second_page});
    damage(fixture, "UPDATE things SET name = 'Sause' WHERE id = 1");
    fixture.clock.advance_by(7 * 24h);
    const mirror::PassStart start{
        .run_id = "i", .asks_changes = true, .started = fixture.clock.now(), .as_of = fixture.clock.now()};
    auto pass = must(fixture.mirror->begin_pass("things", start));
    must(pass->add_page("[" + first_page + "]"));
    must(pass->publish({}));
    CHECK(fixture.one("SELECT name FROM things WHERE id = 1") == "Sause");
    fixture.load({first_page, second_page});
    CHECK(fixture.one("SELECT name FROM things WHERE id = 1") == "Sauce");
}

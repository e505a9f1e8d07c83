#include "mirror/mirror_fixture.hpp"
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
    const auto* const sql = GENERATE("UPDATE things SET name = 'Sause' WHERE id = 1",
                                     "UPDATE things SET price = 89.25 WHERE id = 1",  // the exact text stands beside it
                                     "UPDATE things SET _exact = NULL WHERE id = 1",
                                     "UPDATE things SET at = '2024-01-06T06:00:00.000000Z' WHERE id = 2",
                                     "UPDATE things SET _shape = 2 WHERE id = 1", "UPDATE things SET lines = NULL",
                                     "UPDATE things SET name = CAST(name AS BLOB) WHERE id = 3",
                                     "UPDATE things SET price = 7 + 1e-15 WHERE id = 2");
    INFO(sql);
    damage(fixture, sql);
    const auto damaged = as_stored(fixture);
    REQUIRE(damaged != before);

    fixture.clock.advance_by(7 * 24h - 1min);
    CHECK(fixture.load({first_page, second_page}).changed == 0);
    CHECK(as_stored(fixture) == damaged);
    CHECK(found_in(fixture).empty());

    fixture.clock.advance_by(1min);
    CHECK(fixture.load({first_page, second_page}).changed == 1);
    CHECK(as_stored(fixture) == before);
    CHECK(fixture.mirror->has_news());
    CHECK(found_in(fixture).starts_with("had a row of things with other values than were written, with key "));
    must(fixture.mirror->close_idle());
    fixture.reopen();
    must(fixture.mirror->open());
    CHECK_FALSE(found_in(fixture).empty());

    // Not for ever.
    CHECK(fixture.load({first_page, second_page}).changed == 0);
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
    CHECK(fixture.load({first_page, second_page}).changed == 3);
    CHECK(fixture.one("SELECT group_concat(name) FROM things") == "Sauce,Soup,Salt");
    CHECK(found_in(fixture).starts_with("had 3 rows of things with other values than were written, one of them with "
                                        "key 1; "));
}

TEST_CASE("a row that was found with other values is written by the next pass if this one publishes nothing")
{
    MirrorFixture fixture;
    fixture.load({first_page, second_page});
    damage(fixture, "UPDATE things SET name = 'Sause' WHERE id = 1");
    fixture.clock.advance_by(7 * 24h);
    auto pass = fixture.begin();
    must(pass->add_page("[" + first_page + "]"));
    pass->abandon();
    CHECK_FALSE(found_in(fixture).empty());
    CHECK(fixture.one("SELECT name FROM things WHERE id = 1") == "Sause");
    CHECK(fixture.load({first_page, second_page}).changed == 1);
    CHECK(fixture.one("SELECT name FROM things WHERE id = 1") == "Sauce");
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
    CHECK(fixture.load({one.page}).changed == 1);
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
        return must(pass->publish(complete_proof())).changed;
    };
    walk(1);
    fixture.clock.advance_by(24h);
    walk(2);
    const auto before = all_rows(fixture);
    damage(fixture, "UPDATE things SET v = 9 WHERE v = 6");
    fixture.clock.advance_by(6 * 24h);
    CHECK(walk(1) == 1);
    CHECK(walk(2) == 0);
    fixture.clock.advance_by(24h);
    CHECK(walk(1) == 0);
    CHECK(walk(2) == 1);
    CHECK(all_rows(fixture) == before);
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
        return must(fixture.mirror->put_details("things", run, {&answer, 1})).changed;
    };
    fetch();
    damage(fixture, "UPDATE things_detail SET cost = '1.40'");
    CHECK(fetch() == 1);
    CHECK(fixture.one("SELECT cost FROM things_detail") == "1.50");
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
    CHECK(must(pass->publish({})).changed == 0);
    CHECK(fixture.load({first_page, second_page}).changed == 1);
}

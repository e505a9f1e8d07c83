#include "mirror/mirror_fixture.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

using namespace shelfd;

namespace {

struct Row {
    const char* name;
    const char* first;   // value of item 1, alone on the first load
    const char* second;  // of items 1 and 2 afterwards
    const char* third;
    const char* before;
    const char* after;
    const char* declared;
    const char* stored;  // typeof and value of item 1 afterwards
};

std::string items(const Row& row)
{
    return fmt::format(R"({{"id":1,"v":{},"n":"a"}},{{"id":2,"n":"b","v":{}}},{{"id":3}})", row.second, row.third);
}

}  // namespace

TEST_CASE("a column gets the kind that its values share now, and every item stays what it was")
{
    const Row rows[] = {
        {"numbers became texts", "1", R"("a1")", R"("b2")", "integer", "text", "TEXT", "text|a1"},
        {"whole numbers got fractions", "1", "1", "2.5", "integer", "real", "REAL", "real|1.0"},
        {"texts became numbers", R"("x")", "7", "-8", "text", "integer", "INTEGER", "integer|7"},
        {"texts became instants", R"("x")", R"("2024-01-06T06:00:00Z")", R"("2024-01-06T08:00:00.5+02:00")", "text",
         "datetime", "DATETIME", "text|2024-01-06T06:00:00.000000Z"},
        {"a number became an object", "1", R"({"a":[1.50]})", "null", "integer", "json", "TEXT",
         R"(text|{"a":[1.50]})"},
        {"values went away", "1", "null", "null", "integer", "undecided", "", "null|null"},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        MirrorFixture fixture;
        fixture.load({fmt::format(R"({{"id":1,"v":{},"n":"a"}})", row.first)});
        fixture.load({items(row)});
        const auto first = fixture.item("1");
        const auto third = fixture.item("3");
        const auto outcome = must(fixture.mirror->retype("things", "v"));
        CHECK(outcome.before == row.before);
        CHECK(outcome.after == row.after);
        CHECK(outcome.rows == 3);
        CHECK(fixture.one("SELECT type FROM pragma_table_info('things') WHERE name = 'v'") == row.declared);
        CHECK(fixture.one("SELECT typeof(v), v FROM things WHERE id = 1") == row.stored);
        CHECK(fixture.one("SELECT count(*) FROM things WHERE _exact IS NOT NULL") ==
              (std::string(row.after) == "real" ? "1" : "0"));
        CHECK(fixture.one("SELECT count(*) FROM _drift") == "0");
        // An instant is kept as the instant, in the one form that all instants have.
        const auto same =
            std::string(row.after) == "datetime" ? R"({"id":1,"v":"2024-01-06T06:00:00.000000Z","n":"a"})" : first;
        CHECK(fixture.item("1") == same);
        CHECK(fixture.item("3") == third);
        CHECK(fixture.one("PRAGMA integrity_check") == "ok");
    }
}

TEST_CASE("after a retype the next pass finds nothing changed, and drift is measured against the new kind")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1,"v":1})"});
    fixture.load({R"({"id":1,"v":"a"},{"id":2,"v":"b"})"});
    REQUIRE(fixture.one("SELECT expected || found || items FROM _drift") == "integertext2");
    must(fixture.mirror->retype("things", "v"));
    const auto unchanged = fixture.load({R"({"id":1,"v":"a"},{"id":2,"v":"b"})"});
    CHECK(unchanged.changed == 0);
    CHECK(unchanged.unchanged == 2);
    fixture.load({R"({"id":1,"v":"a"},{"id":2,"v":5})"});
    CHECK(fixture.one("SELECT expected || found || items FROM _drift") == "textinteger1");
    CHECK(fixture.item("2") == R"({"id":2,"v":5})");
}

TEST_CASE("a table without rows, and one of thousands, get the kind")
{
    MirrorFixture fixture({{.name = "things", .keep_deleted = false}});
    fixture.load({R"({"id":1,"v":1})"});
    SECTION("without rows")
    {
        fixture.load({});
        fixture.load({});
        REQUIRE(fixture.one("SELECT count(*) FROM things") == "0");
        const auto outcome = must(fixture.mirror->retype("things", "v"));
        CHECK(outcome.after == "undecided");
        CHECK(outcome.rows == 0);
        fixture.load({R"({"id":1,"v":"text"})"});
        CHECK(fixture.item("1") == R"({"id":1,"v":"text"})");
    }
    SECTION("of thousands")
    {
        std::string items;
        for (int id = 1; id <= 2'500; ++id) {
            items += fmt::format(R"({}{{"id":{},"v":"t{}"}})", id == 1 ? "" : ",", id, id);
        }
        fixture.load({items});
        const auto outcome = must(fixture.mirror->retype("things", "v"));
        CHECK(outcome.after == "text");
        CHECK(outcome.rows == 2'500);
        CHECK(fixture.one("SELECT count(*) FROM things WHERE v = 't' || id AND _exact IS NULL") == "2500");
    }
}

TEST_CASE("rows that went keep what they had, whatever their column becomes")
{
    MirrorFixture fixture({{.name = "things", .keep_deleted = true}});
    const auto remove_all_but_the_last = [&] {
        fixture.load({R"({"id":9,"v":null})"});
        fixture.load({R"({"id":9,"v":null})"});
    };
    fixture.load({R"({"id":1,"v":7},{"id":9,"v":null})"});
    remove_all_but_the_last();
    fixture.load({R"({"id":2,"v":"001"},{"id":3,"v":"x"},{"id":9,"v":null})"});
    CHECK(must(fixture.mirror->retype("things", "v")).after == "text");
    remove_all_but_the_last();
    const std::vector<std::string> kept = {"1|integer|7|null", "2|text|001|null", "3|text|x|null"};
    CHECK(fixture.sql("SELECT id, typeof(v), v, _exact FROM things_deleted ORDER BY id") == kept);
    fixture.reopen();
    fixture.load({R"({"id":4,"v":2.50},{"id":9,"v":null})"});
    CHECK(fixture.sql("SELECT id, typeof(v), v, _exact FROM things_deleted ORDER BY id") == kept);
}

TEST_CASE("a column that has the right kind is left alone")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1,"v":1})"});
    const auto outcome = must(fixture.mirror->retype("things", "v"));
    CHECK(outcome.before == outcome.after);
    CHECK(outcome.rows == 0);
}

TEST_CASE("a retype that cannot be is refused and changes nothing")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1,"v":1})"});
    CHECK(fixture.mirror->retype("things", "id").error().kind() == ErrorKind::usage);
    CHECK(fixture.mirror->retype("things", "w").error().kind() == ErrorKind::not_found);
    CHECK(fixture.mirror->retype("others", "v").error().kind() == ErrorKind::not_found);
    const auto pass = fixture.begin();
    CHECK(fixture.mirror->retype("things", "v").error().kind() == ErrorKind::busy);
}

TEST_CASE("texts of digits among numbers are told, with what to type, until their column is one of texts")
{
    const auto* first = GENERATE("false", "7", "2.5");
    const auto why = "SELECT coalesce(why, '') FROM freshness WHERE resource = 'things'";
    MirrorFixture fixture;
    fixture.load({fmt::format(R"({{"id":1,"v":{}}})", first)});
    fixture.load({R"({"id":1,"v":"n/a"})"});
    CHECK(fixture.one(why).empty());
    fixture.load({R"({"id":1,"v":"0032470"},{"id":2,"v":"0000001"})"});
    CHECK(fixture.one(why).ends_with(": shelfctl schema antwerp --retype things.v"));
    CHECK(must(fixture.mirror->summary("things"))->cure == "shelfctl schema antwerp --retype things.v");
    must(fixture.mirror->set_state("things", {.why = "the service answers 500"}));
    CHECK(must(fixture.mirror->summary("things"))->cure.empty());  // `why` is about something else
    must(fixture.mirror->set_state("things", {}));
    CHECK(fixture.item("1") == R"({"id":1,"v":"0032470"})");
    must(fixture.mirror->retype("things", "v"));
    CHECK(fixture.one("SELECT v FROM things WHERE id = 1") == "0032470");
    CHECK(fixture.one(why).empty());
    CHECK(must(fixture.mirror->summary("things"))->cure.empty());
}

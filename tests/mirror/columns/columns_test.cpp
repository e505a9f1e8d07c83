#include "mirror/columns/columns.hpp"
#include "mirror/mirror_fixture.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

using namespace shelfd;

namespace {

struct KindRow {
    const char* name;
    const char* values;  // of the first page, one an item
    const char* declared;
    const char* kind;
    const char* stored;  // typeof and value of the first
};

}  // namespace

TEST_CASE("every table of rows is created by one statement, whatever its name")
{
    mirror::Columns columns({"shop", "code"});
    columns.store(columns.place_of("v"), mirror::Kind::integer);
    CHECK(columns.create_table_sql("things", "") ==
          R"(CREATE TABLE "things" ("shop", "code", "v" INTEGER, _shape INTEGER, _exact TEXT, )"
          R"(PRIMARY KEY ("shop", "code")))");
    CHECK(columns.create_table_sql("_staging_things", "shops") ==
          R"(CREATE TABLE "_staging_things" ("shop", "code", "v" INTEGER, _shape INTEGER, _exact TEXT, )"
          R"(_fetched_at DATETIME, PRIMARY KEY ("shop", "code"), FOREIGN KEY ("shop", "code") REFERENCES )"
          R"("shops" ("shop", "code")))");
    CHECK(mirror::Columns({"id"}).create_table_sql("one \"key\"", "") ==
          R"(CREATE TABLE "one ""key""" ("id" PRIMARY KEY, _shape INTEGER, _exact TEXT))");
}

TEST_CASE("a column is what all values of its first page share")
{
    const KindRow rows[] = {
        {"integers", "7,null,-8", "INTEGER", "integer", "integer|7"},
        {"integers beyond 64 bits", "18446744073709551616", "TEXT", "text", "text|18446744073709551616"},
        {"integers beyond 64 bits among them", "9223372036854775807,9223372036854775808", "TEXT", "text",
         "text|9223372036854775807"},
        {"floats, and integers beyond 64 bits", "1.5,9223372036854775808", "REAL", "real", "real|1.5"},
        {"floats", "1.5,1e-07", "REAL", "real", "real|1.5"},
        {"floats and integers", "2,1.5", "REAL", "real", "real|2.0"},
        {"truths", "true,false", "BOOLEAN", "boolean", "integer|1"},
        {"truths and integers", "true,1", "TEXT", "text", "text|true"},
        {"decimals as texts", R"("89.00","7")", "TEXT", "text", "text|89.00"},
        {"instants", R"("2024-01-06T06:00:00Z","2024-01-06T06:00:00.5+02:00")", "DATETIME", "datetime",
         "text|2024-01-06T06:00:00.000000Z"},
        {"instants under another zone", R"("2024-01-06T06:00:00.999999+02:00")", "DATETIME", "datetime",
         "text|2024-01-06T04:00:00.999999Z"},
        {"days", R"("2024-02-29",null)", "DATE", "date", "text|2024-02-29"},
        {"days and instants", R"("2024-02-29","2024-01-06T06:00:00Z")", "TEXT", "text", "text|2024-02-29"},
        {"days that are none", R"("2023-02-29")", "TEXT", "text", "text|2023-02-29"},
        {"times of day", R"("06:30:00")", "TEXT", "text", "text|06:30:00"},
        {"objects and arrays", R"({"a":1},[])", "TEXT", "json", R"(text|{"a":1})"},
        {"objects and texts", R"({"a":1},"x")", "TEXT", "text", R"(text|{"a":1})"},
        {"nothing but nulls", "null,null", "", "undecided", "null|null"},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        MirrorFixture fixture;
        std::string page;
        std::string rest = row.values;
        int id = 0;
        // The values hold no comma outside objects but between them; `{"a":1}` has none inside either.
        for (std::size_t comma = 0; comma != std::string::npos;) {
            comma = rest.find(',');
            page += fmt::format("{}{{\"id\":{},\"v\":{}}}", id == 0 ? "" : ",", id, rest.substr(0, comma));
            rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
            ++id;
        }
        fixture.load({page});
        CHECK(fixture.one("SELECT type FROM pragma_table_info('things') WHERE name = 'v'") == row.declared);
        CHECK(fixture.one("SELECT kind FROM _columns WHERE \"column\" = 'v'") == row.kind);
        CHECK(fixture.one("SELECT typeof(v), v FROM things WHERE id = 0") == row.stored);
    }
}

TEST_CASE("integers beyond 64 bits are no drift in the column that was made for them")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1,"v":18446744073709551616})", R"({"id":2,"v":-9223372036854775809})"});
    CHECK(fixture.one("SELECT kind FROM _columns WHERE \"column\" = 'v'") == "text");
    CHECK(fixture.one("SELECT count(*) FROM _drift") == "0");
    CHECK(fixture.item("1") == R"({"id":1,"v":18446744073709551616})");
}

TEST_CASE(
    "drift changes no column: the value is kept as near as SQL has it, its own text beside it, and one line says so")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1,"n":7,"t":"x","b":true,"d":"2024-01-06T06:00:00Z","j":[1]})"});
    fixture.load({
        R"({"id":1,"n":7,"t":"x","b":true,"d":"2024-01-06T06:00:00Z","j":[1]})",
        R"({"id":2,"n":"seven","t":8,"b":"no","d":"soon","j":"x"},{"id":3,"n":"eight","t":null,"b":false,"d":null,"j":{}})",
    });
    CHECK(fixture.one("SELECT n, t, b, d, j FROM things WHERE id = 2") == R"(seven|8|no|soon|"x")");
    CHECK(fixture.one("SELECT _exact FROM things WHERE id = 2") == R"({"n":"seven","t":8,"b":"no","d":"soon"})");
    CHECK(fixture.one("SELECT _exact FROM things WHERE id = 3") == R"({"n":"eight"})");
    CHECK(fixture.one("SELECT _exact FROM things WHERE id = 1") == "null");
    CHECK(fixture.sql(R"(SELECT "column", expected, found, items, item_key, sample FROM _drift ORDER BY 1)") ==
          std::vector<std::string>{
              R"(b|boolean|text|1|2|"no")",
              R"(d|datetime|text|1|2|"soon")",
              R"(j|json|text|1|2|"x")",
              R"(n|integer|text|2|2|"seven")",
              R"(t|text|integer|1|2|8)",
          });
    CHECK(fixture.one("SELECT group_concat(type) FROM pragma_table_info('things')") ==
          "INTEGER,INTEGER,TEXT,BOOLEAN,DATETIME,TEXT,INTEGER,TEXT");
}

TEST_CASE("a text of digits that its column shows as a number is told, whatever else was found before or after it")
{
    struct Row {
        const char* name;
        const char* first;
        std::vector<std::string> later;
    };
    const std::vector<Row> rows = {
        {"numbers", "7", {R"({"id":2,"v":"0032470"})"}},
        {"another text before it", "7", {R"({"id":2,"v":"A-17"},{"id":3,"v":"0032470"})"}},
        {"another text in a later pass",
         "7",
         {R"({"id":2,"v":"0032470"})", R"({"id":2,"v":"0032470"},{"id":3,"v":"A-17"})"}},
        {"in a later pass than another text",
         "7",
         {R"({"id":2,"v":"A-17"})", R"({"id":2,"v":"A-17"},{"id":3,"v":"0032470"})"}},
        {"decimals", "7.5", {R"({"id":2,"v":"0032470"})"}},
        {"truth", "true", {R"({"id":2,"v":"0032470"})"}},
        {"days", R"("2026-11-27")", {R"({"id":2,"v":"0032470"})"}},
        {"instants", R"("2026-11-27T06:00:00Z")", {R"({"id":2,"v":"0032470"})"}},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        MirrorFixture fixture;
        const auto first = fmt::format(R"({{"id":1,"v":{}}})", row.first);
        fixture.load({first});
        for (const auto& page : row.later) {
            fixture.load({first + "," + page});
        }
        CHECK(fixture.one("SELECT count(*) FROM things WHERE v = 32470") == "1");
        CHECK(fixture.one("SELECT why LIKE '%the column v shows texts of digits as numbers%' FROM freshness") == "1");
    }
    MirrorFixture fixture;
    fixture.load({R"({"id":1,"v":"x"},{"id":2,"v":"0032470"})"});
    CHECK(fixture.one("SELECT v FROM things WHERE id = 2") == "0032470");
    CHECK(fixture.one("SELECT coalesce(why, '') LIKE '%digits%' FROM freshness") == "0");
}

TEST_CASE("a later value gives a key that was only ever null its kind, without touching old rows")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1,"v":null})"});
    fixture.load({R"({"id":1,"v":null},{"id":2,"v":"2024-02-29"})"});
    CHECK(fixture.one("SELECT kind FROM _columns WHERE \"column\" = 'v'") == "date");
    CHECK(fixture.item("1") == R"({"id":1,"v":null})");
    CHECK(fixture.item("2") == R"({"id":2,"v":"2024-02-29"})");
}

TEST_CASE("absent and null are two things")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1},{"id":2,"v":null},{"id":3,"v":1})"});
    CHECK(fixture.item("1") == R"({"id":1})");
    CHECK(fixture.item("2") == R"({"id":2,"v":null})");
    CHECK(fixture.sql("SELECT keys FROM _shapes ORDER BY shape") ==
          std::vector<std::string>{R"(["id"])", R"(["id","v"])"});
}

TEST_CASE("names that SQL cannot tell apart, or that are ours, get a suffix")
{
    MirrorFixture fixture;
    const std::string item =
        R"({"id":1,"name":"a","Name":"b","NAME":"c","_Exact":"d","_shape":"e","select":"f","":"g","a\"b":"h","ID":"i"})";
    fixture.load({item});
    CHECK(fixture.one("SELECT group_concat(name, ' ') FROM pragma_table_info('things')") ==
          R"(id name Name_2 NAME_3 _Exact_2 _shape_2 select empty a"b ID_2 _shape _exact)");
    CHECK(fixture.item("1") == item);
    CHECK(fixture.one(R"(SELECT "key" FROM _columns WHERE "column" = 'Name_2')") == "Name");
}

TEST_CASE("a key column that meets another type is rebuilt, and 7 and \"7\" stay two rows")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":7,"v":1},{"id":8,"v":2})"});
    CHECK(fixture.one("SELECT sql LIKE '%\"id\" INTEGER PRIMARY KEY%' FROM sqlite_master WHERE name = 'things'") ==
          "1");
    const auto outcome = fixture.load({R"({"id":7,"v":1})", R"({"id":8,"v":3},{"id":"7","v":4},{"id":"x","v":5})"});
    CHECK(outcome.added == 2);
    CHECK(outcome.changed == 1);
    CHECK(outcome.unchanged == 1);
    CHECK(fixture.sql("SELECT typeof(id), id, v FROM things ORDER BY v") ==
          std::vector<std::string>{"integer|7|1", "integer|8|3", "text|7|4", "text|x|5"});
    CHECK(fixture.item("7") == R"({"id":7,"v":1})");
    CHECK(fixture.item(R"("7")") == R"({"id":"7","v":4})");
    CHECK(fixture.one(R"(SELECT kind FROM _columns WHERE "key" = 'id')") == "any");
    CHECK(fixture.sql(R"(SELECT "column", expected, found, items, item_key, sample FROM _drift)") ==
          std::vector<std::string>{R"(id|integer|text|2|"7"|"7")"});
    const auto again = fixture.load({R"({"id":7,"v":1},{"id":8,"v":3},{"id":"7","v":4},{"id":"x","v":6})"});
    CHECK(again.unchanged == 3);
    CHECK(again.changed == 1);
}

TEST_CASE("a key that meets another type in the first pass, or after a reopening, is rebuilt as well")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":7,"v":1})", R"({"id":"7","v":2,"w":1})"});
    CHECK(fixture.sql("SELECT typeof(id), v FROM things ORDER BY v") ==
          std::vector<std::string>{"integer|1", "text|2"});
    fixture.reopen();
    fixture.load({R"({"id":7,"v":1},{"id":"7","v":3,"w":1})"});
    CHECK(fixture.sql("SELECT typeof(id), v FROM things ORDER BY v") ==
          std::vector<std::string>{"integer|1", "text|3"});
}

TEST_CASE("a rebuilt key survives a pass that is abandoned")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":7,"v":1})"});
    auto pass = fixture.begin();
    must(pass->add_page(R"([{"id":"a","v":2}])"));
    pass.reset();
    CHECK(fixture.sql("SELECT typeof(id), v FROM things") == std::vector<std::string>{"integer|1"});
    const auto outcome = fixture.load({R"({"id":7,"v":1},{"id":"a","v":2})"});
    CHECK(outcome.added == 1);
    CHECK(outcome.unchanged == 1);
}

TEST_CASE("what made a key another kind is counted over the whole pass, and told though the pass is abandoned")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":7,"v":1})"});
    const auto drift = [&fixture] {
        return fixture.sql(R"(SELECT "column", expected, found, items, item_key, first_run = last_run FROM _drift)");
    };
    auto pass = fixture.begin();
    must(pass->add_page(R"([{"id":"a"},{"id":"b"}])"));
    must(pass->add_page(R"([{"id":"c"},{"id":8},{"id":"d"}])"));
    SECTION("published")
    {
        must(pass->publish(complete_proof()));
        CHECK(drift() == std::vector<std::string>{R"(id|integer|text|4|"a"|1)"});
    }
    SECTION("abandoned")
    {
        pass.reset();
        CHECK(drift() == std::vector<std::string>{R"(id|integer|text|2|"a"|1)"});
        fixture.load({R"({"id":7,"v":1},{"id":"a"})"});
        CHECK(drift().size() == 1);
    }
}

TEST_CASE("keys of several columns, texts and numbers beyond 64 bits find their rows")
{
    MirrorFixture fixture({{.name = "things", .key = {"shop", "code"}}, {.name = "big"}});
    fixture.load({R"({"shop":1,"code":"a","v":1},{"shop":1,"code":"b","v":2},{"code":"a","shop":2,"v":3})"});
    const auto outcome = fixture.load({R"({"shop":1,"code":"a","v":1},{"shop":2,"code":"a","v":4})"});
    CHECK(outcome.unchanged == 1);
    CHECK(outcome.changed == 1);
    CHECK(outcome.candidates == 1);
    CHECK(fixture.item(R"([2,"a"])") == R"({"shop":2,"code":"a","v":4})");
    fixture.load({R"({"shop":1,"code":"a","v":1},{"shop":2,"code":"a","v":4})"});
    CHECK(fixture.sql("SELECT shop, code FROM things ORDER BY 1, 2") == std::vector<std::string>{"1|a", "2|a"});

    fixture.load({R"({"id":18446744073709551615,"v":1},{"id":3,"v":2})"}, "big");
    CHECK(fixture.load({R"({"id":18446744073709551615,"v":1},{"id":3,"v":2})"}, "big").unchanged == 2);
    CHECK(fixture.item("18446744073709551615", "big") == R"({"id":18446744073709551615,"v":1})");
}

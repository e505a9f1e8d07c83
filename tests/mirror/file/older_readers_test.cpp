#include "mirror/file/snapshot.hpp"
#include "mirror/mirror_fixture.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

std::size_t count(const std::string& text, std::string_view word)
{
    std::size_t found = 0;
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + word.size())) {
        ++found;
    }
    return found;
}

// Came after SQLite 3.34, or is not in every build of it, as json_each.
bool is_newer_than_3_34(std::string sql)
{
    std::transform(sql.begin(), sql.end(), sql.begin(), [](unsigned char c) { return std::tolower(c); });
    constexpr std::string_view words[] = {
        "strict",       "->",          "unixepoch(",      "json_",   "json(",      "right join", "full join",
        "full outer",   "is distinct", "is not distinct", "concat(", "concat_ws(", "string_agg", "format(",
        "octet_length", "timediff(",   "materialized",    "unhex(",  "'subsec'",   "returning",
    };
    const bool any =
        std::any_of(std::begin(words), std::end(words), [&sql](auto word) { return count(sql, word) > 0; });
    return any || count(sql, "having") > count(sql, "group by");
}

// Names of objects with something in them that is newer; one of them makes a whole file unreadable, or itself.
std::vector<std::string> newer_than_3_34(const std::string& file)
{
    auto database = must(storage::Database::open(file, storage::OpenMode::read_only));
    auto objects = must(database.prepare("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"));
    std::vector<std::string> found;
    while (must(objects.step())) {
        if (is_newer_than_3_34(std::string(objects.text(1)))) {
            found.emplace_back(objects.text(0));
        }
    }
    // Generated columns are older, and not what a plain reader expects.
    auto computed = must(database.prepare("SELECT m.name FROM sqlite_master m, pragma_table_xinfo(m.name) c "
                                          "WHERE m.type = 'table' AND c.hidden <> 0"));
    while (must(computed.step())) {
        found.emplace_back(computed.text(0));
    }
    return found;
}

mirror::Slice window_of(std::int64_t first, std::int64_t past)
{
    mirror::Slice slice;
    slice.name = "a window";
    slice.first = first;
    slice.past = past;
    slice.field = "t";
    slice.place_of = [](std::string_view text) { return std::optional<std::int64_t>(std::stoll(std::string(text))); };
    return slice;
}

mirror::Slice list_of(const std::string& outlet)
{
    mirror::Slice slice;
    slice.name = slice.value = outlet;
    slice.member = "outlet";
    return slice;
}

void load_slice(MirrorFixture& fixture, const std::string& resource, mirror::Slice slice, const std::string& page)
{
    mirror::PassStart start{.run_id = resource, .started = fixture.clock.now(), .as_of = fixture.clock.now()};
    start.slice = std::move(slice);
    auto pass = must(fixture.mirror->begin_pass(resource, start));
    must(pass->add_page("[" + page + "]"));
    must(pass->publish(complete_proof()));
}

}  // namespace

TEST_CASE("what SQLite 3.34 does not know is found where it is planted")
{
    const auto* planted = GENERATE(
        "CREATE TABLE planted (a TEXT) STRICT", "CREATE TABLE planted (a INTEGER, b INTEGER AS (a + 1))",
        "CREATE TABLE planted (a INTEGER, b INTEGER GENERATED ALWAYS AS (a) STORED)",
        "CREATE VIEW planted AS SELECT '{}' ->> 'a' AS b", "CREATE VIEW planted AS SELECT unixepoch('now') AS now",
        "CREATE VIEW planted AS SELECT * FROM _meta AS a RIGHT JOIN _meta AS b",
        "CREATE VIEW planted AS SELECT count(*) FROM _meta HAVING count(*) > 0",
        "CREATE VIEW planted AS SELECT 1 IS DISTINCT FROM 2 AS c");
    INFO(planted);
    MirrorFixture fixture;
    fixture.load({R"({"id":1})"});
    must(must(storage::Database::open(fixture.file(), storage::OpenMode::read_write_create)).execute(planted));
    CHECK(newer_than_3_34(fixture.file()) == std::vector<std::string>{"planted"});
}

TEST_CASE("everything in a mirror is known to SQLite 3.34, whatever its tables are, and everything in a snapshot")
{
    MirrorFixture fixture({
        {.name = "things", .keep_deleted = true, .detail = mirror::DetailSpec{"url", 7 * 24h}},
        {.name = "pairs", .key = {"a", "b"}},
        {.name = "lines", .keep_deleted = true, .axis = "t UTC", .begins_at = Instant::from_seconds(0)},
        {.name = "stock", .key = {"outlet", "id"}, .axis = "outlets id outlet", .parent_member = "outlet"},
    });
    fixture.load({R"({"id":1,"url":"u","at":"2024-01-06T06:00:00Z","x":{"y":1},"f":1.5,"n":null},{"id":3})"});
    fixture.load({R"({"a":"x","b":2})"}, "pairs");
    load_slice(fixture, "lines", window_of(0, 1000), R"({"id":1,"t":"500"})");
    load_slice(fixture, "stock", list_of("1"), R"({"id":1})");
    const std::vector<mirror::DetailAnswer> answers = {{.key = "1", .body = R"({"id":1,"cost":"1.50"})"}};
    must(fixture.mirror->put_details("things", {.run_id = "details", .started = fixture.clock.now()}, answers));
    fixture.load({R"({"id":1,"url":"u","f":true})"});
    fixture.load({R"({"id":1,"url":"u","f":true})"});
    REQUIRE(fixture.one("SELECT count(*) FROM things_deleted") == "1");
    REQUIRE(fixture.one("SELECT cost FROM things_full") == "1.50");
    auto pass = fixture.begin("pairs");
    must(pass->add_page(R"([{"a":"y","b":2,"more":true}])"));
    CHECK(newer_than_3_34(fixture.file()).empty());
    CHECK(fixture.one("PRAGMA user_version") == "1");
    CHECK(fixture.one("PRAGMA integrity_check") == "ok");
    CHECK(fixture.one("PRAGMA page_size") == "16384");
    const auto snapshot = mirror::snapshot_path(fixture.file());
    const mirror::SnapshotOrder order{.mirror = fixture.file(), .target = snapshot, .now = fixture.clock.now()};
    must(mirror::write_snapshot(order));
    CHECK(newer_than_3_34(snapshot).empty());
}

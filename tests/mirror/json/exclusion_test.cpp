#include "mirror/json/exclusion.hpp"

#include "mirror/declare/reset_table.hpp"
#include "mirror/mirror_fixture.hpp"
#include "support/catch.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace shelfd;

namespace {

// Everything the mirror has on the disk, the WAL included.
std::string bytes_of(const MirrorFixture& fixture)
{
    std::ostringstream bytes;
    for (const char* ending : {"", "-wal"}) {
        bytes << std::ifstream(fixture.file() + ending, std::ios::binary).rdbuf();
    }
    return bytes.str();
}

std::vector<mirror::ResourceSpec> without(const std::string& path)
{
    mirror::ResourceSpec spec;
    spec.name = "things";
    spec.exclude = {path};
    return {spec};
}

bool holds(const MirrorFixture& fixture, const std::string& text)
{
    return bytes_of(fixture).find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("what is excluded is dropped wherever it stands, and nothing else changes by a byte")
{
    struct Row {
        const char* name;
        std::vector<std::string> paths;
        const char* before;
        const char* after;
    };
    const auto row = GENERATE(values<Row>({
        {"a member", {"email"}, R"([{"id":1,"email":"a@b","n":1e-07}])", R"([{"id":1,"n":1e-07}])"},
        {"the only member", {"email"}, R"([{"email":"a@b"}])", R"([{}])"},
        {"a member of a member",
         {"by.email"},
         R"([{"by":{"email":"a","id":2},"id":1}])",
         R"([{"by":{"id":2},"id":1}])"},
        {"in each element of a list",
         {"by.email"},
         R"([{"by":[{"email":"a"},{"email":"b","x":[1, 2]},7]}])",
         R"([{"by":[{},{"x":[1, 2]},7]}])"},
        {"a name with an escape", {"email"}, R"([{"em\u0061il":"a","id":1}])", R"([{"id":1}])"},
        {"twice there", {"email"}, R"([{"email":"a","id":1,"email":"b"}])", R"([{"id":1}])"},
        {"not there", {"phone", "by.phone"}, R"([{"id":1,"by":null}])", R"([{"id":1,"by":null}])"},
        {"a whole and a part of it", {"by", "by.email"}, R"([{"id":1,"by":{"email":"a"}}])", R"([{"id":1}])"},
        {"a name with a dot", {"by.email"}, R"([{"by.email":"a","by":{"id":2}}])", R"([{"by":{"id":2}}])"},
        {"a name with a dot, and what is in it",
         {"a.b.c"},
         R"([{"a.b":{"c":1,"d":2},"a":{"b.c":3,"b":{"c":4}}}])",
         R"([{"a.b":{"d":2},"a":{"b":{}}}])"},
        {"a name in quotes is one, and no other",
         {R"("a.b".c)"},
         R"([{"a.b":{"c":1},"a":{"b":{"c":2}},"a.b.c":3}])",
         R"([{"a.b":{},"a":{"b":{"c":2}},"a.b.c":3}])"},
        {"a name that ends in a dot", {R"("a.")"}, R"([{"a.":1,"a":2}])", R"([{"a":2}])"},
        {"the same name elsewhere", {"by.email"}, R"([{"email":"kept"}])", R"([{"email":"kept"}])"},
    }));
    SECTION(row.name)
    {
        CHECK(must(mirror::Exclusion(row.paths).apply(row.before)) == row.after);
    }
}

TEST_CASE("a page that is no JSON is a fault of the page with exclusions, too")
{
    const mirror::Exclusion exclusion({"email"});
    for (const char* broken : {R"([{"id":1,)", R"([{"id":1}{)", "[{]", ""}) {
        const auto applied = exclusion.apply(broken);
        CHECK((!applied || *applied == broken));
    }
}

TEST_CASE("an excluded member never reaches the disk, in rows, changes and samples")
{
    MirrorFixture fixture(without("owner.email"));
    fixture.load({R"({"id":1,"owner":{"email":"first@secret","name":"Ann"}})"});
    fixture.load({R"({"id":1,"owner":{"email":"second@secret","name":"Bea"}})"});
    // Another type than before is drift, with a sample.
    fixture.load({R"({"id":1,"owner":[{"email":"third@secret"}]})"});
    CHECK(fixture.item("1") == R"({"id":1,"owner":[{}]})");
    CHECK(fixture.one("SELECT count(*) FROM _changes") == "2");
    CHECK(holds(fixture, "Bea"));
    CHECK_FALSE(holds(fixture, "@secret"));
}

TEST_CASE("a change of nothing but excluded members is no change")
{
    MirrorFixture fixture(without("seen_at"));
    fixture.load({R"({"id":1,"seen_at":"a"})"});
    CHECK(fixture.load({R"({"id":1,"seen_at":"b"})"}).unchanged == 1);
}

TEST_CASE("what is excluded later is wiped from the file, and the table is filled anew")
{
    MirrorFixture fixture({{.name = "things"}, {.name = "others"}});
    for (const char* name : {"Ann", "Bea"}) {
        std::string page;
        for (int id = 1; id <= 300; ++id) {
            page += (page.empty() ? "" : ",") + std::string(R"({"id":)") + std::to_string(id) + R"(,"name":")" + name +
                    R"(","email":")" + name + std::to_string(id) + R"(@secret"})";
        }
        fixture.load({page});
    }
    fixture.load({R"({"id":1,"email":"kept@elsewhere"})"}, "others");
    REQUIRE(holds(fixture, "@secret"));
    const auto feed = fixture.one("SELECT value FROM _meta WHERE key = 'feed'");
    const auto directory = fixture.directory / "antwerp/";
    for (const char* copy : {"antwerp.snapshot.db", "antwerp.snapshot.db.new", "antwerp.db.broken-2024-01-01T000000Z",
                             "antwerp.db.kept"}) {
        std::filesystem::copy_file(fixture.file(), directory + copy);
    }
    fixture.specs.front().exclude = {"email"};
    fixture.clock.advance_by(std::chrono::seconds(1));
    fixture.reopen();
    // The daemon's own copies go with it; what somebody else put there stays.
    CHECK_FALSE(std::filesystem::exists(directory + "antwerp.snapshot.db"));
    CHECK_FALSE(std::filesystem::exists(directory + "antwerp.snapshot.db.new"));
    CHECK_FALSE(std::filesystem::exists(directory + "antwerp.db.broken-2024-01-01T000000Z"));
    CHECK(std::filesystem::exists(directory + "antwerp.db.kept"));
    // Changes were wiped that a reader of the feed may not have seen: its position means nothing any more.
    const auto renewed = fixture.one("SELECT value FROM _meta WHERE key = 'feed'");
    CHECK(renewed != feed);
    CHECK(fixture.mirror->take_notice().value_or("").find("exclude of things got more members") != std::string::npos);
    CHECK_FALSE(holds(fixture, "@secret"));
    CHECK(fixture.one("SELECT state FROM freshness WHERE resource = 'things'") == "filling");
    CHECK(holds(fixture, "kept@elsewhere"));
    fixture.load({R"({"id":1,"name":"Ann","email":"Ann@secret"})"});
    CHECK(fixture.item("1") == R"({"id":1,"name":"Ann"})");

    // Once wiped, nothing is wiped again.
    fixture.clock.advance_by(std::chrono::seconds(1));
    fixture.reopen();
    CHECK(fixture.one("SELECT value FROM _meta WHERE key = 'feed'") == renewed);
    CHECK_FALSE(fixture.mirror->take_notice());
    CHECK(fixture.one("SELECT count(*) FROM things") == "1");
}

TEST_CASE("what is excluded later is wiped from the pages that earlier passes left free")
{
    MirrorFixture fixture({{.name = "things", .changes = mirror::ChangeDetail::keys}});
    for (const char* name : {"Ann", "Bea"}) {
        std::string page;
        for (int id = 1; id <= 300; ++id) {
            page += (page.empty() ? "" : ",") + std::string(R"({"id":)") + std::to_string(id) + R"(,"email":")" + name +
                    "@secret" + std::string(1000, 'x') + R"("})";
        }
        fixture.load({page});
    }
    REQUIRE(fixture.one("PRAGMA freelist_count") != "0");
    fixture.specs.front().exclude = {"email"};
    fixture.clock.advance_by(std::chrono::seconds(1));
    fixture.reopen();
    CHECK_FALSE(holds(fixture, "@secret"));
    CHECK(fixture.one("PRAGMA quick_check") == "ok");
}

TEST_CASE("a wipe that fails half way leaves the connection as it was")
{
    const TempDirectory files;
    auto database = must(storage::Database::open(files / "empty.db", storage::OpenMode::scratch));
    const auto [name, number] = GENERATE(table<const char*, int>({{"OFF", 0}, {"ON", 1}, {"FAST", 2}}));
    must(database.execute("PRAGMA secure_delete = " + std::string(name)));
    CHECK_FALSE(mirror::scrub(database, "things"));  // there is no feed of changes
    auto setting = must(database.prepare("PRAGMA secure_delete"));
    REQUIRE(must(setting.step()));
    CHECK(setting.integer(0) == number);
}

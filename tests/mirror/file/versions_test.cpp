// Files of other versions: what this version uses, and what it leaves alone.
#include "mirror/file/schema.hpp"
#include "mirror/mirror_fixture.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <filesystem>

using namespace shelfd;

namespace {

// What a later minor version may do to a file: add objects and columns, and fill them.
std::string additions_of_the_next_minor()
{
    return fmt::format("CREATE TABLE _later (a TEXT); INSERT INTO _later VALUES ('kept');"
                       "ALTER TABLE _resources ADD COLUMN later TEXT; UPDATE _resources SET later = 'kept';"
                       "ALTER TABLE _runs ADD COLUMN later TEXT;"
                       "UPDATE _meta SET value = '{}' WHERE key = 'schema_minor'",
                       own_mirror_schema.minor + 1);
}

void change(const std::string& file, const std::string& sql)
{
    auto database = must(storage::Database::open(file, storage::OpenMode::read_write_create));
    must(database.execute(sql.c_str()));
    must(database.checkpoint(storage::CheckpointMode::truncate));
}

}  // namespace

TEST_CASE("a mirror that a later minor version has used goes on, and what that version added stays")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1,"v":"one"},{"id":2,"v":"two"})"});
    const auto feed = fixture.one("SELECT value FROM _meta WHERE key = 'feed'");
    const auto position = fixture.one("SELECT max(seq) FROM _changes");
    fixture.mirror.reset();
    change(fixture.directory / "antwerp/antwerp.db", additions_of_the_next_minor());

    fixture.reopen();
    CHECK(fixture.one("SELECT value FROM _meta WHERE key = 'feed'") == feed);
    CHECK(fixture.one("SELECT max(seq) FROM _changes") == position);
    CHECK(fixture.one("SELECT count(*), state FROM things, freshness") == "2|fresh");
    const auto outcome = fixture.load({R"({"id":1,"v":"one"},{"id":2,"v":"changed"},{"id":3,"v":"new"})"});
    CHECK(outcome.added == 1);
    CHECK(outcome.changed == 1);
    // The later version finds its own again, and knows from its number that it need not add it.
    CHECK(fixture.one("SELECT a FROM _later") == "kept");
    CHECK(fixture.one("SELECT later FROM _resources") == "kept");
    CHECK(fixture.one("SELECT value FROM _meta WHERE key = 'schema_minor'") ==
          std::to_string(own_mirror_schema.minor + 1));
}

TEST_CASE("a mirror of a later major version, or that asks for a later reader, is refused and stays as it is")
{
    const auto later = fmt::format("UPDATE _meta SET value = '{}' WHERE key = 'min_reader'",
                                   to_text(MirrorSchema{1, own_mirror_schema.minor + 1}));
    for (const auto& sql : {std::string("PRAGMA user_version = 2"), later}) {
        INFO(sql);
        MirrorFixture fixture;
        fixture.load({R"({"id":1})"});
        fixture.mirror.reset();
        const auto file = fixture.directory / "antwerp/antwerp.db";
        change(file, sql);
        const auto before = read_file(file);
        const auto opened = mirror::Mirror(fixture.options()).open();
        REQUIRE(!opened);
        CHECK(opened.error().kind() == ErrorKind::usage);
        CHECK(opened.error().text().find("newer shelfd") != std::string::npos);
        CHECK(read_file(file) == before);
    }
}

TEST_CASE("each mirror says which versions may read it, also one that an earlier version made without saying so")
{
    MirrorFixture fixture;
    CHECK(fixture.one("SELECT value FROM _meta WHERE key = 'min_reader'") == to_text(oldest_reader));
    fixture.mirror.reset();
    change(fixture.directory / "antwerp/antwerp.db",
           "DELETE FROM _meta WHERE key = 'min_reader'; UPDATE _meta SET value = '17' WHERE key = 'schema_minor'");
    fixture.reopen();
    CHECK(fixture.one("SELECT value FROM _meta WHERE key = 'min_reader'") == to_text(oldest_reader));
}

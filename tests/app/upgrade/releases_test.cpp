// Files that released versions left, kept as they were (tests/releases): this version uses them, and so does the
// release again afterwards.
#include "app/upgrade/state_check.hpp"
#include "mirror/file/schema.hpp"
#include "oauth/journal/journal.hpp"
#include "storage/posix_journal_file.hpp"
#include "storage/sqlite.hpp"
#include "support/catch.hpp"
#include "support/process.hpp"
#include "support/scratch_directory.hpp"
#include "support/temp_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace shelfd::app {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> releases()
{
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(SHELFD_SOURCE_DIR "/tests/releases")) {
        names.push_back(entry.path().string());
    }
    return names;
}

// What the release's daemon left of its library `demo`: a list of 300 recipes, and a set of the second generation or a
// later one.
struct Left {
    explicit Left(const std::string& release)
    {
        unpack(release + "/demo.db.gz", mirror());
        unpack(release + "/journal.a.gz", journal("journal.a"));
        unpack(release + "/journal.b.gz", journal("journal.b"));
        configuration.storage.mirrors = directory / "mirrors";
        configuration.storage.tokens = directory / "tokens";
        configuration.libraries.resize(1);
        configuration.libraries.front().name = "demo";
    }

    static void unpack(const std::string& from, const std::string& to)
    {
        fs::create_directories(fs::path(to).parent_path());
        const auto ran = run_program({"/usr/bin/env", "gzip", "-dc", from}, {{"PATH", "/usr/bin:/bin"}});
        REQUIRE(ran.code == 0);
        write_file(to, ran.out);
    }

    std::string mirror() const { return directory / "mirrors/demo/demo.db"; }
    std::string journal(const std::string& name) const { return directory / ("tokens/demo/" + name); }

    storage::Database open() const
    {
        auto database = storage::Database::open(mirror(), storage::OpenMode::read_write_create);
        REQUIRE(database);
        return std::move(*database);
    }

    std::string one(const std::string& sql) const
    {
        auto database = open();
        auto value = mirror::read_value(database, sql, "");
        REQUIRE(value);
        return value->value_or("null");
    }

    ScratchDirectory directory;
    config::Configuration configuration;
};

// "table column type" of every table and view.
std::vector<std::string> columns_of(storage::Database& database)
{
    auto rows = database.prepare("SELECT m.name || ' ' || c.name || ' ' || c.type FROM sqlite_schema AS m, "
                                 "pragma_table_info(m.name) AS c WHERE m.type IN ('table', 'view') ORDER BY 1");
    REQUIRE(rows);
    std::vector<std::string> columns;
    for (auto row = rows->step(); row && *row; row = rows->step()) {
        columns.emplace_back(rows->text(0));
    }
    return columns;
}

const std::string facts = "SELECT (SELECT value FROM _meta WHERE key = 'feed') || ' ' || count(*) || ' ' || "
                          "(SELECT as_of FROM _resources) || ' ' || (SELECT proven_as_of FROM _resources) "
                          "FROM recipes WHERE '' = ?";

TEST_CASE("what a release left is used, and nothing of it is refused")
{
    REQUIRE_FALSE(releases().empty());
    for (const auto& release : releases()) {
        CAPTURE(release);
        const Left left(release);
        const auto files = check_state(left.configuration);
        REQUIRE(files.size() == 3);
        for (const auto& file : files) {
            CAPTURE(file.text);
            CHECK((file.outlook == Outlook::as_it_is || file.outlook == Outlook::changed));
        }
        CHECK(exit_code_of(files) == ExitCode::done);
    }
}

TEST_CASE("a mirror of a release keeps rows, feed and proofs through an upgrade, and asks for no later reader")
{
    for (const auto& release : releases()) {
        CAPTURE(release);
        const Left left(release);
        const auto before = left.one(facts);
        CHECK(before.find(" 300 ") != std::string::npos);
        {
            auto database = left.open();
            CHECK(mirror::find_schema(database).value() == mirror::SchemaFound::ours);
            REQUIRE(mirror::update_schema(database));
            CHECK(mirror::find_missing_object(database).value().empty());
        }
        CHECK(left.one(facts) == before);
        // The release reads and writes files of its major version whose min_reader is not above its own minor version.
        CHECK(left.one("SELECT value FROM _meta WHERE key = 'min_reader' AND '' = ?") == "1");
        CHECK(left.one("SELECT user_version FROM pragma_user_version WHERE '' = ?") == "1");
    }
}

TEST_CASE("an upgrade within a major version only adds: each table, view and column of a release is there afterwards")
{
    for (const auto& release : releases()) {
        CAPTURE(release);
        const Left left(release);
        auto database = left.open();
        const auto before = columns_of(database);
        CHECK(before.size() > 100);
        REQUIRE(mirror::update_schema(database));
        const auto after = columns_of(database);
        for (const auto& column : before) {
            CAPTURE(column);
            CHECK(std::find(after.begin(), after.end(), column) != after.end());
        }
    }
}

TEST_CASE("the token set of a release is found in each of its journals")
{
    for (const auto& release : releases()) {
        CAPTURE(release);
        const Left left(release);
        for (const std::string name : {"journal.a", "journal.b"}) {
            CAPTURE(name);
            oauth::Journal journal(
                [path = left.journal(name)] { return storage::PosixJournalFile::open(path, oauth::journal_size); },
                "demo");
            const auto found = journal.open();
            REQUIRE(found);
            CHECK_FALSE(found->newer_version);
            CHECK(found->other_library.empty());
            CHECK(found->unreadable == 0);
            REQUIRE(found->set);
            CHECK(found->set->header.generation >= 2);
        }
    }
}

}  // namespace
}  // namespace shelfd::app

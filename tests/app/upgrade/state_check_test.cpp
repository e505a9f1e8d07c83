#include "app/upgrade/state_check.hpp"
#include "base/sha256.hpp"
#include "mirror/file/schema.hpp"
#include "oauth/journal/record.hpp"
#include "storage/sqlite.hpp"
#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <map>

#include <sys/stat.h>
#include <unistd.h>

namespace shelfd::app {
namespace {

namespace fs = std::filesystem;

template <typename T>
T must(Result<T> result)
{
    if (!result) {
        FAIL(result.error().text());
    }
    if constexpr (!std::is_void_v<T>) {
        return std::move(*result);
    }
}

// The storage of a daemon with one library.
struct Store {
    Store()
    {
        configuration.storage.mirrors = directory / "mirrors";
        configuration.storage.tokens = directory / "tokens";
        configuration.libraries.resize(1);
        configuration.libraries.front().name = "antwerp";
        fs::create_directories(directory / "mirrors/antwerp");
        fs::create_directories(directory / "tokens/antwerp");
    }

    std::string mirror() const { return directory / "mirrors/antwerp/antwerp.db"; }
    std::string journal() const { return directory / "tokens/antwerp/journal.a"; }

    // A mirror of this version, changed by `sql`, at rest: all of it is in its file.
    void make_mirror(const std::string& sql = "") const
    {
        auto database = must(storage::Database::open(mirror(), storage::OpenMode::read_write_create));
        must(mirror::create_schema(database, "antwerp", "feed", "2024-01-06T06:00:00Z"));
        must(database.execute(sql.empty() ? "SELECT 1" : sql.c_str()));
        must(database.checkpoint(storage::CheckpointMode::truncate));
    }

    // A journal with one TOKEN in its first slot, of the format with this number.
    void make_journal(std::uint16_t format = oauth::format_version) const
    {
        oauth::Header header;
        header.library = "antwerp";
        header.generation = 12;
        header.sequence = 3;
        auto bytes = oauth::encode_header(header);
        std::memcpy(bytes.data() + 8, &format, sizeof format);
        Sha256 hash;
        hash.update(std::string_view(reinterpret_cast<const char*>(bytes.data()), 192));
        const auto digest = hash.finish();
        std::memcpy(bytes.data() + 192, digest.data(), digest.size());
        std::string text(oauth::journal_size, '\0');
        std::memcpy(text.data(), bytes.data(), bytes.size());
        write_file(journal(), text);
    }

    StateOfFile of(const std::string& kind) const
    {
        for (auto& file : check_state(configuration)) {
            if (file.kind == kind) {
                return file;
            }
        }
        FAIL("no " << kind);
        return {};
    }

    ExitCode exit() const { return exit_code_of(check_state(configuration)); }

    // Every file and its content.
    std::map<std::string, std::string> content() const
    {
        std::map<std::string, std::string> files;
        for (const auto& entry : fs::recursive_directory_iterator(directory.path())) {
            files[entry.path().string()] = entry.is_regular_file() ? read_file(entry.path().string()) : "";
        }
        return files;
    }

    TempDirectory directory;
    config::Configuration configuration;
};

TEST_CASE("what an upgrade would do with a mirror follows from its version and its oldest reader")
{
    struct Row {
        std::string name, sql;
        Outlook outlook;
        std::string version, text;
    };
    const auto own = to_text(own_mirror_schema);
    const auto later = to_text(MirrorSchema{1, own_mirror_schema.minor + 1});
    const auto minor = [](int number) {
        return fmt::format("UPDATE _meta SET value = '{}' WHERE key = 'schema_minor'", number);
    };
    const std::vector<Row> rows = {
        {"of this version", "", Outlook::as_it_is, own, "used as it is"},
        {"of an earlier minor version", minor(12), Outlook::changed, "1.12",
         "a shelfd that writes version 1.12 can still use it"},
        {"of a later minor version", minor(own_mirror_schema.minor + 1), Outlook::as_it_is, later,
         "what that version added is kept"},
        {"for later readers only",
         minor(own_mirror_schema.minor + 1) + "; UPDATE _meta SET value = '" + later + "' WHERE key = 'min_reader'",
         Outlook::refused, later, "needs a shelfd that knows " + later},
        {"of a later major version", "PRAGMA user_version = 2", Outlook::refused,
         "2." + std::to_string(own_mirror_schema.minor), "needs a shelfd that knows 2 or later"},
        {"of another program", "PRAGMA user_version = 0", Outlook::refused, "", "not a mirror"},
    };
    for (const auto& row : rows) {
        DYNAMIC_SECTION(row.name)
        {
            const Store store;
            store.make_mirror(row.sql);
            const auto found = store.of("mirror");
            CAPTURE(found.text);
            CHECK(found.outlook == row.outlook);
            CHECK(found.version == row.version);
            CHECK(found.text.find(row.text) != std::string::npos);
            CHECK(store.exit() == (row.outlook == Outlook::refused ? ExitCode::needs_person : ExitCode::done));
        }
    }
}

TEST_CASE("a named pipe or a directory in place of a file is said, and nobody waits for it")
{
    const Store store;
    REQUIRE(::mkfifo(store.mirror().c_str(), 0600) == 0);
    REQUIRE(::mkfifo(store.journal().c_str(), 0600) == 0);
    for (const auto* kind : {"mirror", "journal.a"}) {
        const auto found = store.of(kind);
        CAPTURE(kind, found.text);
        CHECK((found.outlook == Outlook::unreadable || found.outlook == Outlook::forbidden));
        CHECK(found.text.find("not a regular file") != std::string::npos);
    }
    fs::remove(store.mirror());
    fs::create_directory(store.mirror());
    CHECK(store.of("mirror").outlook == Outlook::unreadable);
    CHECK(store.exit() != ExitCode::done);
}

TEST_CASE("a version that is no number is damage, not version 0")
{
    for (const std::string minor : {"x", "1x", "-3", ""}) {
        const Store store;
        store.make_mirror("UPDATE _meta SET value = '" + minor + "' WHERE key = 'schema_minor'");
        CAPTURE(minor);
        CHECK(store.of("mirror").outlook == Outlook::unreadable);
    }
}

TEST_CASE("the generation of a token set that is kept is a number in JSON, and 0 without one")
{
    const Store store;
    CHECK(state_as_json(check_state(store.configuration)).find("\"kind\":\"journal.a\"") != std::string::npos);
    CHECK(store.of("journal.a").generation == 0);
    store.make_journal();
    CHECK(store.of("journal.a").generation == 12);
    const auto json = state_as_json(check_state(store.configuration));
    CHECK(json.find(R"("version":"1","generation":12)") != std::string::npos);
    CHECK(json.find(R"("generation":null)") != std::string::npos);
}

TEST_CASE("what is not there yet is created, and what is damaged is said")
{
    const Store store;
    CHECK(store.of("mirror").outlook == Outlook::created);
    CHECK(store.of("journal.a").outlook == Outlook::created);
    CHECK(store.exit() == ExitCode::done);

    write_file(store.mirror(), std::string(40'000, 'x'));
    write_file(store.journal(), std::string(oauth::journal_size, 'x'));
    CHECK(store.of("mirror").outlook == Outlook::unreadable);
    CHECK(store.of("journal.a").outlook == Outlook::unreadable);
    CHECK(store.exit() == ExitCode::storage);
}

TEST_CASE("a journal is used if its format is known, and refused if a later version wrote it")
{
    const Store store;
    store.make_journal();
    CHECK(store.of("journal.a").outlook == Outlook::as_it_is);
    CHECK(store.of("journal.a").text == "has format 1, generation 12: used as it is");
    CHECK(store.exit() == ExitCode::done);

    store.make_journal(2);
    const auto later = store.of("journal.a");
    CHECK(later.outlook == Outlook::refused);
    CHECK(later.version == "2");
    CHECK(later.text.find("install the version of shelfd that wrote them again") != std::string::npos);
    CHECK(store.exit() == ExitCode::needs_person);
}

TEST_CASE("the second copy of a journal is looked for on its own device")
{
    Store store;
    store.configuration.storage.tokens_copy = "/srv/copy";
    CHECK(store.of("journal.b").path == "/srv/copy/antwerp/journal.b");
}

TEST_CASE("a check of the state changes and creates nothing")
{
    const Store store;
    store.make_mirror();
    store.make_journal();
    fs::remove(store.mirror() + "-wal");
    fs::remove(store.mirror() + "-shm");
    const auto before = store.content();
    CHECK(store.of("mirror").outlook == Outlook::as_it_is);
    CHECK(store.content() == before);
}

TEST_CASE("what a daemon has written and not yet moved from the WAL counts")
{
    const Store store;
    store.make_mirror();
    auto writer = must(storage::Database::open(store.mirror(), storage::OpenMode::read_write_create));
    must(writer.execute("UPDATE _meta SET value = '9' WHERE key = 'schema_minor'"));
    CHECK(store.of("mirror").version == "1.9");
}

TEST_CASE("who may not read the state is told so, with its exit code")
{
    if (geteuid() == 0) {
        std::vector<StateOfFile> files(2);
        files.back().outlook = Outlook::forbidden;
        CHECK(exit_code_of(files) == ExitCode::permission);
        return;
    }
    const Store store;
    store.make_journal();
    fs::permissions(store.directory / "tokens", fs::perms::none);
    CHECK(store.of("journal.a").outlook == Outlook::forbidden);
    CHECK(store.exit() == ExitCode::permission);
    fs::permissions(store.directory / "tokens", fs::perms::owner_all);
}

TEST_CASE("text and JSON of the state say the same")
{
    const Store store;
    store.make_mirror("PRAGMA user_version = 2");
    store.make_journal();
    const auto files = check_state(store.configuration);
    const auto text = state_as_text(files);
    CHECK(text.find(store.mirror() + " has version 2.") != std::string::npos);
    CHECK(text.find("3 files: 1 used as they are, 0 changed, 1 created, 1 refused, 0 not readable.\n") !=
          std::string::npos);
    const auto json = state_as_json(files);
    CAPTURE(json);
    CHECK(json.find(R"("exit":2)") != std::string::npos);
    CHECK(json.find(R"("kind":"mirror")") != std::string::npos);
    CHECK(json.find(R"("outlook":"refused")") != std::string::npos);
    CHECK(json.find(R"("outlook":"created","version":null)") != std::string::npos);
}

}  // namespace
}  // namespace shelfd::app

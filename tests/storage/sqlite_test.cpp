#include "storage/sqlite.hpp"
#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <sqlite3.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <limits>

using namespace shelfd;
using namespace shelfd::storage;

namespace {

Database open_writer(const std::string& path)
{
    auto opened = Database::open(path, OpenMode::read_write_create);
    REQUIRE(opened);
    return std::move(*opened);
}

Database open_reader(const std::string& path)
{
    auto opened = Database::open(path, OpenMode::read_only);
    REQUIRE(opened);
    return std::move(*opened);
}

std::string one(Database& database, const std::string& sql)
{
    auto statement = database.prepare(sql);
    REQUIRE(statement);
    const auto row = statement->step();
    REQUIRE(row);
    return *row ? std::string(statement->text(0)) : "no row";
}

}  // namespace

TEST_CASE("a writer's connection is durable in one way, and leaves -wal and -shm for readers when it closes")
{
    TempDirectory directory;
    const std::string path = directory / "a.db";
    {
        auto writer = open_writer(path);
        CHECK(one(writer, "PRAGMA journal_mode") == "wal");
        CHECK(one(writer, "PRAGMA synchronous") == "1");
        CHECK(one(writer, "PRAGMA page_size") == "16384");
        REQUIRE(writer.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)"));
        CHECK(writer.wal_bytes() > 0);
    }
    CHECK(std::filesystem::exists(path + "-wal"));
    CHECK(std::filesystem::exists(path + "-shm"));
    auto reader = open_reader(path);
    CHECK(one(reader, "SELECT x FROM t") == "1");
}

TEST_CASE("dropping a table writes none of its pages again, and what is deleted inside a page is cleared")
{
    TempDirectory directory;
    auto writer = open_writer(directory / "a.db");
    REQUIRE(writer.execute("PRAGMA wal_autocheckpoint = 0;"
                           "CREATE TABLE staging (id INTEGER PRIMARY KEY, x TEXT);"
                           "CREATE TABLE kept (id INTEGER PRIMARY KEY, x TEXT);"
                           "INSERT INTO kept VALUES (1, 'stays'), (2, 'deleted words');"
                           "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
                           " INSERT INTO staging SELECT i, hex(zeroblob(200)) FROM n"));
    const auto filled = writer.wal_bytes();
    REQUIRE(filled > 2'000'000);
    REQUIRE(writer.execute("DROP TABLE staging"));
    CHECK(writer.wal_bytes() - filled < filled / 20);
    REQUIRE(writer.execute("DELETE FROM kept WHERE id = 2; PRAGMA wal_checkpoint(TRUNCATE)"));
    CHECK(read_file(directory / "a.db").find("deleted words") == std::string::npos);
}

TEST_CASE("an error of a full disk has its number, whatever the sentence says")
{
    TempDirectory directory;
    auto writer = open_writer(directory / "a.db");
    REQUIRE(writer.execute("CREATE TABLE t (x); PRAGMA max_page_count = 1"));
    const auto full = writer.execute("INSERT INTO t VALUES (zeroblob(1000000))");
    REQUIRE_FALSE(full);
    CHECK(full.error().kind() == ErrorKind::storage);
    CHECK(full.error().system_errno == ENOSPC);
    const auto missing = writer.execute("INSERT INTO no_table VALUES (1)");
    REQUIRE_FALSE(missing);
    CHECK(missing.error().system_errno == 0);
}

TEST_CASE("a reader can neither write nor make a file")
{
    TempDirectory directory;
    const std::string path = directory / "a.db";
    CHECK_FALSE(Database::open(path, OpenMode::read_only));
    CHECK_FALSE(std::filesystem::exists(path));
    auto writer = open_writer(path);
    REQUIRE(writer.execute("CREATE TABLE t (x)"));
    auto reader = open_reader(path);
    const auto written = reader.execute("INSERT INTO t VALUES (1)");
    REQUIRE(!written);
    CHECK(written.error().kind() == ErrorKind::permission);
}

TEST_CASE("what is bound comes back in its own storage class, byte for byte")
{
    TempDirectory directory;
    auto database = open_writer(directory / "a.db");
    REQUIRE(database.execute("CREATE TABLE t (a, b, c, d, e, f)"));
    const std::string text = std::string("nul\0inside, ", 12) + "caf\xc3\xa9";
    const std::byte bytes[] = {std::byte{0}, std::byte{255}};
    auto insert = database.prepare("INSERT INTO t VALUES (?, ?, ?, x'00ff', ?, ?)");
    REQUIRE(insert);
    insert->bind(1, std::numeric_limits<std::int64_t>::min()).bind(2, 0.1).bind(3, std::string_view(text));
    insert->bind_null(4).bind(5, std::string_view());
    REQUIRE(insert->run());
    auto row = database.prepare("SELECT * FROM t");
    REQUIRE(row);
    REQUIRE(*row->step());
    CHECK(row->columns() == 6);
    CHECK(row->column_name(2) == "c");
    CHECK(row->storage_class(0) == StorageClass::integer);
    CHECK(row->integer(0) == std::numeric_limits<std::int64_t>::min());
    CHECK(row->storage_class(1) == StorageClass::real);
    CHECK(row->real(1) == 0.1);
    CHECK(row->text(2) == text);
    CHECK(row->storage_class(3) == StorageClass::blob);
    CHECK(std::equal(row->blob(3).begin(), row->blob(3).end(), std::begin(bytes), std::end(bytes)));
    CHECK(row->is_null(4));
    CHECK_FALSE(row->optional_text(4));
    CHECK(row->storage_class(5) == StorageClass::text);
    CHECK(row->text(5).empty());
}

TEST_CASE("a transaction that is not committed never was")
{
    TempDirectory directory;
    auto database = open_writer(directory / "a.db");
    REQUIRE(database.execute("CREATE TABLE t (x)"));
    {
        auto transaction = Transaction::begin(database);
        REQUIRE(transaction);
        REQUIRE(database.execute("INSERT INTO t VALUES (1)"));
        CHECK(database.in_transaction());
    }
    CHECK_FALSE(database.in_transaction());
    CHECK(one(database, "SELECT count(*) FROM t") == "0");
    {
        auto transaction = Transaction::begin(database);
        REQUIRE(transaction);
        REQUIRE(database.execute("INSERT INTO t VALUES (1)"));
        REQUIRE(transaction->commit());
    }
    CHECK(one(database, "SELECT count(*) FROM t") == "1");
}

TEST_CASE("what SQLite refuses becomes the kind of error one can act on, in SQLite's words")
{
    TempDirectory directory;
    const std::string path = directory / "a.db";

    SECTION("wrong SQL")
    {
        auto database = open_writer(path);
        const auto prepared = database.prepare("SELEC 1");
        REQUIRE(!prepared);
        CHECK(prepared.error().kind() == ErrorKind::usage);
        CHECK(prepared.error().text() == "near \"SELEC\": syntax error (SQLite 1)");
    }
    SECTION("no SQL")
    {
        auto database = open_writer(path);
        CHECK(database.prepare("  -- nothing").error().kind() == ErrorKind::usage);
    }
    SECTION("a parameter that is not there")
    {
        auto database = open_writer(path);
        auto statement = database.prepare("SELECT ?");
        REQUIRE(statement);
        statement->bind(2, std::int64_t{1});
        CHECK(statement->step().error().kind() == ErrorKind::usage);
    }
    SECTION("a file that is no database")
    {
        write_file(path, std::string(20000, 'x'));
        const auto opened = Database::open(path, OpenMode::read_write_create);
        REQUIRE(!opened);
        CHECK(opened.error().kind() == ErrorKind::corrupt);
        CHECK(opened.error().text().find(path) != std::string::npos);
    }
    SECTION("a database with a broken page")
    {
        {
            auto database = open_writer(path);
            REQUIRE(database.execute("CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(100000))"));
            CHECK(*database.quick_check() == std::nullopt);
            REQUIRE(database.checkpoint(CheckpointMode::truncate));
        }
        auto bytes = read_file(path);
        std::fill(bytes.begin() + 16384, bytes.begin() + 2 * 16384, '\x55');
        write_file(path, bytes);
        auto database = open_writer(path);
        const auto finding = database.quick_check();
        REQUIRE(finding);
        REQUIRE(finding->has_value());
        CHECK((*finding)->find('\n') == std::string::npos);  // one line of a status
    }
    SECTION("a directory that is not there")
    {
        const auto opened = Database::open(directory / "no/a.db", OpenMode::read_write_create);
        REQUIRE(!opened);
        CHECK(opened.error().kind() == ErrorKind::storage);
        CHECK(opened.error().system_errno == ENOENT);
    }
}

TEST_CASE("a reader that stays pins the WAL: a checkpoint says so at once instead of waiting")
{
    TempDirectory directory;
    const std::string path = directory / "a.db";
    auto writer = open_writer(path);
    REQUIRE(writer.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)"));
    auto reader = open_reader(path);
    REQUIRE(reader.execute("BEGIN; SELECT * FROM t"));
    REQUIRE(writer.execute("INSERT INTO t VALUES (2)"));
    CHECK(*writer.checkpoint(CheckpointMode::passive) == false);
    CHECK(*writer.checkpoint(CheckpointMode::truncate) == false);
    CHECK(writer.wal_bytes() > 0);
    REQUIRE(reader.execute("COMMIT"));
    CHECK(*writer.checkpoint(CheckpointMode::truncate) == true);
    CHECK(writer.wal_bytes() == 0);
}

TEST_CASE("a predicate of ours can stand in SQL, and the last definition counts")
{
    TempDirectory directory;
    auto database = open_writer(directory / "a.db");
    REQUIRE(database.define_predicate("even", [](std::int64_t n) { return n % 2 == 0; }));
    CHECK(one(database, "SELECT even(4) || even(5)") == "10");
    REQUIRE(database.define_predicate("even", [](std::int64_t) { return true; }));
    CHECK(one(database, "SELECT even(4) || even(5)") == "11");
}

TEST_CASE("a statement that ended is compiled once for all who ask for the same text")
{
    TempDirectory directory;
    auto database = open_writer(directory / "a.db");
    REQUIRE(database.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2)"));
    const auto compiled = [&] {
        int count = 0;
        for (auto* each = sqlite3_next_stmt(database.handle(), nullptr); each != nullptr; ++count) {
            each = sqlite3_next_stmt(database.handle(), each);
        }
        return count;
    };
    const int before = compiled();

    SECTION("one after the other")
    {
        CHECK(one(database, "SELECT x FROM t") == "1");
        CHECK(one(database, "SELECT x FROM t") == "1");
        CHECK(compiled() == before + 1);
    }
    SECTION("but not while it is in use")
    {
        auto first = database.prepare("SELECT x FROM t");
        REQUIRE(first);
        REQUIRE(*first->step());
        CHECK(one(database, "SELECT x FROM t") == "1");
        REQUIRE(*first->step());
        CHECK(first->integer(0) == 2);
        CHECK(compiled() == before + 2);
    }
    SECTION("what was bound to it is forgotten")
    {
        {
            auto bound = database.prepare("SELECT coalesce(?, 'nothing')");
            REQUIRE(bound);
            bound->bind(1, std::string_view("something"));
            REQUIRE(bound->step());
        }
        CHECK(one(database, "SELECT coalesce(?, 'nothing')") == "nothing");
    }
    SECTION("it reads the table that is there now")
    {
        CHECK(one(database, "SELECT * FROM t") == "1");
        REQUIRE(database.execute("DROP TABLE t; CREATE TABLE t (a, b); INSERT INTO t VALUES ('a', 'b')"));
        auto again = database.prepare("SELECT * FROM t");
        REQUIRE(again);
        REQUIRE(*again->step());
        CHECK(again->columns() == 2);
        CHECK(again->text(1) == "b");
    }
    SECTION("of many, those that were used last")
    {
        for (int i = 0; i < 200; ++i) {
            CHECK(one(database, "SELECT " + std::to_string(i)) == std::to_string(i));
        }
        CHECK(compiled() <= 64);
        const int kept = compiled();
        CHECK(one(database, "SELECT 199") == "199");
        CHECK(compiled() == kept);
    }
    SECTION("it holds no lock, and may outlive the connection")
    {
        auto late = database.prepare("SELECT x FROM t");
        REQUIRE(late);
        REQUIRE(*late->step());
        {
            const auto closed = std::move(database);
        }
        late = Error(ErrorKind::usage, "gone");
        auto other = open_writer(directory / "a.db");
        CHECK(other.execute("DROP TABLE t"));
    }
}

TEST_CASE("a moved connection and a moved statement go on as before")
{
    TempDirectory directory;
    auto first = open_writer(directory / "a.db");
    auto statement = first.prepare("SELECT ? + 1");
    REQUIRE(statement);
    auto second = std::move(first);
    auto moved = std::move(*statement);
    moved.bind(1, std::int64_t{41});
    REQUIRE(*moved.step());
    CHECK(moved.integer(0) == 42);
    moved.reset();
    CHECK(second.changes() == 0);
}

TEST_CASE("the rest of the text behind a statement is given back, and what may write says so")
{
    TempDirectory directory;
    auto database = open_writer(directory / "a.db");
    REQUIRE(database.execute("CREATE TABLE t (x)"));
    std::string_view rest;
    const auto first = database.prepare("SELECT 1; SELECT 2", rest);
    REQUIRE(first);
    CHECK(rest == " SELECT 2");
    CHECK(first->is_read_only());
    REQUIRE(database.prepare("SELECT 3", rest));
    CHECK(rest.empty());
    for (const auto* sql :
         {"INSERT INTO t VALUES (1)", "DROP TABLE t", "VACUUM INTO 'b.db'", "PRAGMA user_version = 3"}) {
        INFO(sql);
        const auto statement = database.prepare(sql);
        REQUIRE(statement);
        CHECK_FALSE(statement->is_read_only());
    }
}

#include "storage/row_batch.hpp"
#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <array>
#include <limits>
#include <string>
#include <utility>

using namespace shelfd;
using namespace shelfd::storage;

namespace {

struct Fixture {
    TempDirectory directory;
    Database database = open(directory / "a.db");
    RowBatch rows;

    static Database open(const std::string& path)
    {
        auto opened = Database::open(path, OpenMode::read_write_create);
        REQUIRE(opened);
        return std::move(*opened);
    }

    std::string source(std::size_t columns)
    {
        auto name = database.row_source(columns);
        REQUIRE(name);
        return *name;
    }

    // As `quote` writes them, one after the other.
    std::string read(const std::string& sql)
    {
        auto statement = database.prepare(sql);
        REQUIRE(statement);
        if (sql.find('?') != std::string::npos) {
            statement->bind_rows(1, rows);
        }
        std::string out;
        for (;;) {
            const auto row = statement->step();
            REQUIRE(row);
            if (!*row) {
                return out;
            }
            out.append(out.empty() ? "" : " ").append(statement->text(0));
        }
    }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a statement reads every value of a batch in its own storage class, byte for byte")
{
    const std::array<std::byte, 3> blob{std::byte{0}, std::byte{0xff}, std::byte{1}};
    rows.begin_row(6);
    rows.set(0, std::numeric_limits<std::int64_t>::min());
    rows.set(1, -0.5);
    rows.set(2, std::string_view("it's"));
    rows.set_blob(3, blob);
    rows.set(4, std::string_view());
    const auto quoted = [&](int column) {
        return read("SELECT quote(c" + std::to_string(column) + ") FROM " + source(6) + "(?)");
    };
    CHECK(quoted(0) == "-9223372036854775808");
    CHECK(quoted(1) == "-0.5");
    CHECK(quoted(2) == "'it''s'");
    CHECK(quoted(3) == "X'00FF01'");
    CHECK(quoted(4) == "''");
    CHECK(quoted(5) == "NULL");

    const std::string zero("a\0b", 3);
    const std::string large(1 << 20, 'x');
    rows.begin_row(2);
    rows.set(0, std::string_view(zero));
    rows.set(1, std::string_view(large));
    CHECK(read("SELECT hex(c0) FROM " + source(6) + "(?) LIMIT 1 OFFSET 1") == "610062");
    CHECK(read("SELECT c1 FROM " + source(6) + "(?) LIMIT 1 OFFSET 1") == large);
    // A row that was begun with fewer columns.
    CHECK(read("SELECT quote(c5) FROM " + source(6) + "(?)") == "NULL NULL");
}

TEST_CASE_METHOD(Fixture, "a batch is read in the order given, and anew after it was emptied")
{
    for (const std::int64_t value : {10, 11, 12, 1, 2}) {
        rows.begin_row(1);
        rows.set(0, value);
    }
    const auto all = "SELECT c0 FROM " + source(1) + "(?)";
    CHECK(read(all) == "10 11 12 1 2");
    rows.put_in_order({3, 4, 0, 1, 2});
    CHECK(read(all) == "1 2 10 11 12");
    rows.begin_row(1);
    rows.set(0, std::int64_t{7});
    CHECK(read(all) == "10 11 12 1 2 7");
    rows.clear();
    CHECK(rows.size() == 0);
    CHECK(read(all).empty());
    rows.begin_row(1);
    rows.set(0, std::int64_t{8});
    CHECK(read(all) == "8");
}

TEST_CASE_METHOD(Fixture, "one statement inserts a batch with the table's own types, or nothing of it")
{
    REQUIRE(database.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, r REAL, n TEXT, CHECK (id < 100))"));
    const auto insert = "INSERT OR REPLACE INTO t SELECT c0, c1, c2 FROM " + source(3) + "(?)";
    const auto add = [this](std::int64_t id) {
        rows.begin_row(3);
        rows.set(0, id);
        rows.set(1, id);
        rows.set(2, id);
    };
    add(2);
    add(1);
    add(2);
    read(insert);
    CHECK(read("SELECT group_concat(id || typeof(r) || typeof(n)) FROM t") == "1realtext,2realtext");

    add(3);
    add(100);
    auto statement = database.prepare(insert);
    REQUIRE(statement);
    const auto done = statement->bind_rows(1, rows).run();
    REQUIRE_FALSE(done);
    CHECK(done.error().text().find("CHECK constraint failed") != std::string::npos);
    CHECK(read("SELECT count(*) FROM t") == "2");
}

TEST_CASE_METHOD(Fixture, "a batch is full by its rows or by its bytes")
{
    for (int i = 0; i < 999; ++i) {
        rows.begin_row(1);
    }
    CHECK_FALSE(rows.is_full());
    rows.begin_row(1);
    CHECK(rows.is_full());
    rows.release();
    CHECK_FALSE(rows.is_full());
    CHECK(rows.capacity() < 100);
    rows.begin_row(1);
    rows.set(0, std::string_view(std::string(std::size_t{2} << 20, 'x')));
    CHECK(rows.is_full());
    rows.release();
    CHECK(rows.capacity() < 100);
    for (int i = 0; i < 50; ++i) {
        rows.begin_row(1'900);
    }
    CHECK_FALSE(rows.is_full());
    for (int i = 0; i < 50; ++i) {
        rows.begin_row(1'900);
    }
    CHECK(rows.is_full());
}

TEST_CASE_METHOD(Fixture, "a source has as many columns as were asked for, and no rows for whoever binds no batch")
{
    rows.begin_row(1'902);
    rows.set(1'901, std::int64_t{5});
    CHECK(read("SELECT c1901 FROM " + source(1'902) + "(?)") == "5");
    CHECK(source(1'902) == source(1'950));
    CHECK(source(3) != source(1'902));

    auto without = database.prepare("SELECT count(*) FROM " + source(3) + "(?)");
    REQUIRE(without);
    REQUIRE(*without->step());
    CHECK(without->text(0) == "0");
    CHECK_FALSE(database.prepare("SELECT * FROM " + source(3)));
}

TEST_CASE_METHOD(Fixture, "a statement that was kept reads the batch of whoever uses it now")
{
    const auto all = "SELECT c0 FROM " + source(1) + "(?)";
    {
        RowBatch gone;
        gone.begin_row(1);
        gone.set(0, std::int64_t{1});
        auto statement = database.prepare(all);
        REQUIRE(statement);
        REQUIRE(statement->bind_rows(1, gone).run());
    }
    auto again = database.prepare(all);
    REQUIRE(again);
    CHECK_FALSE(*again->step());  // nothing is bound any more
    rows.begin_row(1);
    rows.set(0, std::int64_t{2});
    again->reset();
    again->bind_rows(1, rows);
    REQUIRE(*again->step());
    CHECK(again->integer(0) == 2);
}

TEST_CASE_METHOD(Fixture, "a connection that moved, and one opened in its place, read batches")
{
    const auto all = "SELECT c0 FROM " + source(1) + "(?)";
    const Database moved = std::exchange(database, open(directory / "b.db"));
    rows.begin_row(1);
    rows.set(0, std::int64_t{3});
    CHECK_FALSE(database.prepare(all));
    CHECK(source(1) == "_rows_8");
    CHECK(read(all) == "3");
}

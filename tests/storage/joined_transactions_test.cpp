#include "storage/joined_transactions.hpp"
#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <string>

using namespace shelfd;
using namespace shelfd::storage;

namespace {

Database open(const std::string& path, OpenMode mode)
{
    auto opened = Database::open(path, mode);
    REQUIRE(opened);
    return std::move(*opened);
}

struct Fixture {
    TempDirectory directory;
    Database database = open(directory / "a.db", OpenMode::read_write_create);
    JoinedTransactions joined{database};

    Fixture()
    {
        REQUIRE(database.execute("CREATE TABLE t (x); CREATE TABLE p (k INTEGER PRIMARY KEY); CREATE TABLE c (k "
                                 "REFERENCES p DEFERRABLE INITIALLY DEFERRED)"));
    }

    void write(const std::string& sql)
    {
        auto transaction = joined.next();
        REQUIRE(transaction);
        REQUIRE(database.execute(sql));
        joined.leave_open(*transaction);
    }

    // As another program sees it.
    std::string rows() const
    {
        auto reader = open(directory / "a.db", OpenMode::read_only);
        auto statement = reader.prepare("SELECT count(*) FROM t");
        REQUIRE(statement);
        REQUIRE(*statement->step());
        return std::string(statement->text(0));
    }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "joined transactions become true together, when their writer says so")
{
    write("INSERT INTO t VALUES (1)");
    write("INSERT INTO t VALUES (2)");
    CHECK(rows() == "0");
    SECTION("by a commit")
    {
        auto last = joined.next();
        REQUIRE(last);
        REQUIRE(database.execute("INSERT INTO t VALUES (3)"));
        REQUIRE(last->commit());
        CHECK(rows() == "3");
    }
    SECTION("or are taken back together")
    {
        {
            auto last = joined.next();
            REQUIRE(last);
            REQUIRE(database.execute("INSERT INTO t VALUES (3)"));
        }
        CHECK(rows() == "0");
    }
    SECTION("or as soon as somebody settles")
    {
        REQUIRE(database.settle());
        CHECK(rows() == "2");
        REQUIRE(database.settle());
        write("INSERT INTO t VALUES (3)");
        CHECK(rows() == "2");
    }
    CHECK(joined.check());
}

TEST_CASE_METHOD(Fixture, "another transaction never becomes part of what was left open")
{
    write("INSERT INTO t VALUES (1)");
    {
        auto other = Transaction::begin(database);
        REQUIRE(other);
        CHECK(rows() == "1");
        REQUIRE(database.execute("INSERT INTO t VALUES (2)"));
    }
    CHECK(rows() == "1");
    JoinedTransactions second(database);
    write("INSERT INTO t VALUES (3)");
    auto theirs = second.next();
    REQUIRE(theirs);
    CHECK(rows() == "2");
    REQUIRE(theirs->commit());
}

TEST_CASE_METHOD(Fixture,
                 "what was left open and cannot be committed is told to who left it, and is no trouble of others")
{
    REQUIRE(database.execute("PRAGMA foreign_keys = ON"));
    write("INSERT INTO t VALUES (1)");
    write("INSERT INTO c VALUES (7)");
    SECTION("when others begin")
    {
        auto other = Transaction::begin(database);
        REQUIRE(other);
        REQUIRE(database.execute("INSERT INTO p VALUES (1)"));
        CHECK(other->commit());
    }
    SECTION("when somebody settles")
    {
        CHECK_FALSE(database.settle());
        CHECK_FALSE(database.in_transaction());
    }
    CHECK_FALSE(joined.check());
    CHECK_FALSE(joined.next());
    CHECK(rows() == "0");
    CHECK(Transaction::begin(database));
}

TEST_CASE_METHOD(Fixture, "what SQLite itself took back is told, too")
{
    write("INSERT INTO t VALUES (1)");
    REQUIRE(database.execute("ROLLBACK"));
    SECTION("when it goes on")
    {
        CHECK_FALSE(joined.next());
    }
    SECTION("when somebody settles")
    {
        const auto settled = database.settle();
        REQUIRE_FALSE(settled);
        CHECK(settled.error().kind() == ErrorKind::storage);
    }
    CHECK_FALSE(joined.check());
    CHECK_FALSE(joined.next());
    CHECK(Transaction::begin(database));
}

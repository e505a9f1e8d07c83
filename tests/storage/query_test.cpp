#include "storage/query.hpp"
#include "storage/sql_names.hpp"
#include "support/catch.hpp"
#include "support/temp_directory.hpp"

using namespace shelfd;

namespace {

storage::Database open(const std::string& path)
{
    write_file(path, "");
    auto opened = storage::Database::open(path, storage::OpenMode::read_write_create);
    REQUIRE(opened);
    return std::move(*opened);
}

struct QueryBench {
    QueryBench() { REQUIRE(database.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)")); }

    TempDirectory directory;
    storage::Database database = open(directory / "test.db");
};

}  // namespace

TEST_CASE("values are bound as what they are: text, whole and real numbers, true as 1, an empty optional as NULL")
{
    QueryBench bench;
    const std::string text = "x";
    const auto types = storage::read_texts(
        bench.database, "SELECT typeof(?1) || typeof(?2) || typeof(?3) || ?4 || typeof(?5) || typeof(?6) || ?7 || ?8",
        text, 7U, 1.5, true, std::optional<std::string>(),
        std::nullopt == std::optional<int>() ? std::optional<int>() : 1, std::optional<std::string_view>("y"), "z");
    REQUIRE(types);
    CHECK(*types == std::vector<std::string>{"textintegerreal1nullnullyz"});
}

TEST_CASE("rows are given one by one, until the one who takes them says that it is enough, or fails")
{
    QueryBench bench;
    constexpr const char* sql = "SELECT a FROM t WHERE a >= ? ORDER BY a";
    std::vector<std::int64_t> taken;
    SECTION("all")
    {
        CHECK(storage::each_row(
            bench.database, sql, [&](const storage::Statement& row) { taken.push_back(row.integer(0)); }, 2));
        CHECK(taken == std::vector<std::int64_t>{2, 3});
    }
    SECTION("enough")
    {
        const auto take = [&](const storage::Statement& row) {
            taken.push_back(row.integer(0));
            return taken.size() < 2;
        };
        CHECK(storage::each_row(bench.database, sql, take, 1));
        CHECK(taken == std::vector<std::int64_t>{1, 2});
    }
    SECTION("enough, or an error")
    {
        const auto take = [&](const storage::Statement& row) -> Result<bool> {
            taken.push_back(row.integer(0));
            return row.integer(0) != 2;
        };
        CHECK(storage::each_row(bench.database, sql, take, 1));
        CHECK(taken == std::vector<std::int64_t>{1, 2});
    }
    SECTION("an error")
    {
        const auto done = storage::each_row(
            bench.database, sql,
            [&](const storage::Statement& row) -> Result<void> {
                taken.push_back(row.integer(0));
                return Error(ErrorKind::not_found, "nothing of the kind");
            },
            1);
        REQUIRE_FALSE(done);
        CHECK(done.error().kind() == ErrorKind::not_found);
        CHECK(taken.size() == 1);
    }
}

TEST_CASE("an error of SQLite while rows are read is returned, after those that could be read")
{
    QueryBench bench;
    int taken = 0;
    const auto done = storage::each_row(bench.database, "SELECT a, CASE a WHEN 2 THEN json('{' || a) END FROM t",
                                        [&](const storage::Statement&) { ++taken; });
    CHECK_FALSE(done);
    CHECK(taken == 1);
}

TEST_CASE("a statement is run with its values, one that is prepared as often as wanted")
{
    QueryBench bench;
    CHECK(storage::run(bench.database, "DELETE FROM t WHERE a = ?", 3));
    auto insert = bench.database.prepare("INSERT INTO t VALUES (?)");
    REQUIRE(insert);
    CHECK(storage::run(*insert, "x"));
    CHECK(storage::run(*insert, std::optional<std::int64_t>()));
    CHECK(storage::read_number(bench.database, "SELECT count(*) FROM t").value() == 4);
    CHECK(storage::read_number(bench.database, "SELECT count(*) FROM t WHERE a IS NULL").value() == 1);
    CHECK(storage::read_number(bench.database, "SELECT a FROM t WHERE a = 99").value() == 0);
    CHECK_FALSE(storage::run(bench.database, "DELETE FROM no_such_table"));
}

TEST_CASE("a name is quoted for SQL, and so are quotes within it")
{
    CHECK(storage::identifier("order") == "\"order\"");
    CHECK(storage::identifier("a\"b") == "\"a\"\"b\"");
}

// What sql and schema say about numbers and dates in columns of text.
#include "ctl/mirror_bench.hpp"
#include "ctl/verb/verbs.hpp"
#include "support/catch.hpp"

#include <fmt/core.h>

namespace shelfd::ctl {
namespace {

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

struct DecimalBench : MirrorBench {
    DecimalBench()
    {
        load(
            R"({"id": 1, "name": "Waffle", "price": "10.00", "sold": "31.12.2023", "made": "2024-01-06", "cost": 2.5},)"
            R"({"id": 2, "name": "Fries", "price": "9.50", "sold": "01.02.2024", "made": "2023-01-06", "cost": 1.5},)"
            R"({"id": 3, "name": "Water", "price": "2.00", "sold": null, "made": "2023-01-07", "cost": null})");
    }

    ExitCode ask(const std::string& sql, Output output = Output::csv)
    {
        command.verb = Verb::sql;
        command.read.sql = sql;
        command.output = output;
        captured.out.clear();
        captured.err.clear();
        return run_sql(context());
    }
};

TEST_CASE("a query that compares decimals as text is answered, and says what to write")
{
    DecimalBench bench;
    CHECK(bench.ask("SELECT name FROM recipes WHERE price > 9 ORDER BY price") == ExitCode::done);
    CHECK(bench.captured.out == "name\nFries\n");  // not Waffle
    CHECK(bench.captured.err ==
          "shelfctl: note: price of recipes holds decimals as text, which compares letter by letter, "
          "'10.00' < '9.00': write CAST(price AS REAL); see shelfd-mirror(7), Numbers and dates\n");
    CHECK(bench.ask("SELECT name FROM recipes WHERE CAST(price AS REAL) > 9 ORDER BY 1") == ExitCode::done);
    CHECK(bench.captured.out == "name\nFries\nWaffle\n");
    CHECK(bench.captured.err.empty());
}

TEST_CASE("what the note advises for dates sorts them")
{
    DecimalBench bench;
    CHECK(bench.ask("SELECT max(sold) FROM recipes") == ExitCode::done);
    CHECK(contains(bench.captured.out, "31.12.2023"));
    const auto write = bench.captured.err.find("write ");
    REQUIRE(write != std::string::npos);
    const auto end = bench.captured.err.find("; see");
    const auto cast = bench.captured.err.substr(write + 6, end - write - 6);
    CHECK(bench.ask("SELECT max(" + cast + ") FROM recipes") == ExitCode::done);
    CHECK(contains(bench.captured.out, "2024-02-01"));
    CHECK(bench.captured.err.empty());
}

TEST_CASE("calculations with decimals that have a comma or marks between thousands get the expression that is right")
{
    DecimalBench bench;
    bench.load(R"({"id": 1, "net": "1.234,50", "gross": "1,234.50", "fee": "89,50", "plain": "2.50", "rank": 1},)"
               R"({"id": 2, "net": "9,25", "gross": "9.25", "fee": "0,75", "plain": "10.00", "rank": 2})",
               "outlets");
    struct Row {
        const char* sql;
        const char* note;
        const char* right;  // with the expression in its place
    };
    const auto fee = std::string("fee of outlets holds decimals with a comma as text, ");
    const auto misread = std::string("which a calculation reads as far as its first mark, ");
    const std::vector<Row> rows = {
        {"SELECT sum(fee) FROM outlets", "'89,50' as 89: write CAST(replace(fee, ',', '.') AS REAL)", "90.25"},
        {"SELECT avg(fee) FROM outlets", "'89,50' as 89: write", "45.125"},
        {"SELECT total(fee) FROM outlets", "'89,50' as 89: write", "90.25"},
        {"SELECT total(s.fee) FROM outlets s", "'89,50' as 89: write", nullptr},
        {"SELECT sum(DISTINCT (fee)) FROM outlets", "'89,50' as 89: write", nullptr},
        {"SELECT fee * 2 FROM outlets WHERE id = 1", "'89,50' as 89: write", "179.0"},
        {"SELECT 2 + fee FROM outlets WHERE id = 1", "'89,50' as 89: write", "91.5"},
        {"SELECT fee / 2 FROM outlets WHERE id = 1", "'89,50' as 89: write", "44.75"},
        {"SELECT 100 - fee FROM outlets WHERE id = 1", "'89,50' as 89: write", "10.5"},
        {"SELECT CAST(fee AS REAL) FROM outlets WHERE id = 1", "'89,50' as 89: write", nullptr},
        {"SELECT CAST(s.fee AS numeric) FROM outlets s", "'89,50' as 89: write", nullptr},
        {"SELECT round(fee, 1) FROM outlets WHERE id = 1", "'89,50' as 89: write", "89.5"},
        {"SELECT sum(f) FROM (SELECT fee AS f FROM outlets)", "'89,50' as 89: write", nullptr},
        {"SELECT sum(gross) FROM outlets", "'1,234.50' as 1: write CAST(replace(gross, ',', '') AS REAL)", "1243.75"},
        {"SELECT sum(net) FROM outlets",
         "'1.234,50' as 1.234: write CAST(replace(replace(net, '.', ''), ',', '.') AS REAL)", "1243.75"},
    };
    for (const auto& row : rows) {
        INFO(row.sql);
        CHECK(bench.ask(row.sql) == ExitCode::done);
        INFO(bench.captured.err);
        CHECK(contains(bench.captured.err, misread + row.note));
        CHECK_FALSE(contains(bench.captured.err, "compares letter by letter"));
        const auto write = bench.captured.err.find("write ") + 6;
        const auto expression = bench.captured.err.substr(write, bench.captured.err.find("; see") - write);
        if (row.right != nullptr) {
            std::string sql = row.sql;
            for (const char* column : {"fee", "gross", "net"}) {
                const auto at = sql.find(column);
                sql = at == std::string::npos ? sql : sql.replace(at, std::string(column).size(), expression);
            }
            CHECK(bench.ask(sql) == ExitCode::done);
            CHECK(contains(bench.captured.out, std::string("\n") + row.right + "\n"));
            CHECK(bench.captured.err.empty());
        }
    }
    // Both at once, and beside numbers, where SQLite leaves such a text a text.
    CHECK(bench.ask("SELECT sum(fee) FROM outlets WHERE fee > '9'") == ExitCode::done);
    CHECK(contains(bench.captured.err, fee + "which compares letter by letter, '10,00' < '9,00', and " + misread));
    for (const char* sql : {"SELECT id FROM outlets WHERE fee > rank", "SELECT id FROM outlets WHERE rank < fee",
                            "SELECT id FROM outlets WHERE fee > CAST('9' AS REAL)"}) {
        INFO(sql);
        CHECK(bench.ask(sql) == ExitCode::done);
        CHECK(contains(bench.captured.err, fee + "which compares letter by letter, '10,00' < '9,00': write"));
    }
    // Decimals with a point are read whole; a text that stays a text is right as it is.
    for (const char* sql : {"SELECT sum(plain), avg(plain) + 1, plain * 2, CAST(plain AS REAL) FROM outlets",
                            "SELECT fee, net || ' EUR', CAST(fee AS TEXT), count(fee), length(gross) FROM outlets",
                            "SELECT *, fee FROM outlets", "SELECT count(*), fee FROM outlets GROUP BY fee"}) {
        INFO(sql);
        CHECK(bench.ask(sql) == ExitCode::done);
        CHECK(bench.captured.err.empty());
    }
}

TEST_CASE("columns that compare as they should get no note")
{
    DecimalBench bench;
    for (const char* sql :
         {"SELECT * FROM recipes WHERE made > '2023-06-01' ORDER BY made, name", "SELECT * FROM recipes WHERE cost > 2",
          "SELECT name, price FROM recipes", "SELECT resource FROM freshness WHERE rows > 9"}) {
        INFO(sql);
        CHECK(bench.ask(sql) == ExitCode::done);
        CHECK(bench.captured.err.empty());
    }
}

TEST_CASE(
    "decimals that are named otherwise or sorted by their position get the note, and a query answers wrong without")
{
    DecimalBench bench;
    for (const char* sql : {"SELECT name, price FROM recipes ORDER BY 2 DESC LIMIT 1",
                            "SELECT name, price AS cost FROM recipes ORDER BY cost DESC LIMIT 1",
                            "WITH dear AS (SELECT name, price AS p FROM recipes) SELECT * FROM dear WHERE p > 9",
                            "SELECT * FROM (SELECT name, price p FROM recipes) WHERE p > 9"}) {
        INFO(sql);
        CHECK(bench.ask(sql) == ExitCode::done);
        CHECK(contains(bench.captured.out, "Fries"));
        CHECK(contains(bench.captured.err, "price of recipes holds decimals as text"));
    }
    for (const char* sql : {"SELECT name, CAST(price AS REAL) AS p FROM recipes WHERE p > 9 ORDER BY p DESC LIMIT 1",
                            "SELECT name, CAST(price AS REAL) AS price FROM recipes ORDER BY 2 DESC LIMIT 1",
                            "WITH dear AS (SELECT name, CAST(price AS REAL) AS price FROM recipes) "
                            "SELECT name, price AS p FROM dear WHERE p > 9 ORDER BY 2 DESC LIMIT 1",
                            "SELECT r.name FROM recipes r, (SELECT CAST(price AS REAL) AS p FROM recipes) o "
                            "WHERE r.price > o.p ORDER BY r.id LIMIT 1"}) {
        INFO(sql);
        CHECK(bench.ask(sql) == ExitCode::done);
        CHECK(contains(bench.captured.out, "Waffle"));
        CHECK(bench.captured.err.empty());
    }
}

TEST_CASE("a name that is a number in another table of the query gets no note")
{
    DecimalBench bench;
    bench.load(R"({"id": 1, "price": 3})", "outlets");
    CHECK(bench.ask("SELECT o.id FROM outlets o, recipes r WHERE o.price > 2") == ExitCode::done);
    CHECK(bench.captured.err.empty());
}

TEST_CASE("the values of the last rows count, too")
{
    MirrorBench bench;
    std::string items;
    for (int i = 1; i <= 2500; ++i) {
        items += fmt::format(R"({}{{"id": {}, "price": "{}.5", "code": "{}.5"}})", i > 1 ? "," : "", i, i,
                             i == 2500 ? std::string("none") : std::to_string(i));
    }
    bench.load(items);
    bench.command.verb = Verb::schema;
    CHECK(run_schema(bench.context()) == ExitCode::done);
    CHECK(contains(bench.captured.out, "; holds decimals, compares letter by letter: write CAST(price AS REAL)\n"));
    CHECK_FALSE(contains(bench.captured.out, "CAST(code"));
}

TEST_CASE("the schema as JSON says what a text column holds and how to compare it")
{
    DecimalBench bench;
    bench.command.verb = Verb::schema;
    bench.command.resource = "recipes";
    bench.command.output = Output::json;
    CHECK(run_schema(bench.context()) == ExitCode::done);
    CHECK(contains(bench.captured.out, R"x("holds":"decimals","compare_with":"CAST(price AS REAL)")x"));
    CHECK(contains(bench.captured.out, R"("holds":"dates that begin with the day")"));
    CHECK(contains(bench.captured.out, R"("name":"name","declared":"TEXT")"));
    CHECK(contains(bench.captured.out, R"("holds":null,"compare_with":null)"));
}

}  // namespace
}  // namespace shelfd::ctl

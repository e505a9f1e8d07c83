#include "ctl/mirror/file.hpp"
#include "ctl/verb/verbs.hpp"
#include "ctl/verb_bench.hpp"
#include "storage/sqlite.hpp"
#include "support/catch.hpp"

#include <filesystem>

#include <fmt/core.h>

namespace shelfd::ctl {
namespace {

// A mirror as the daemon leaves it: a WAL file of antwerp, and a configuration that says where.
struct SqlBench : VerbBench {
    SqlBench()
    {
        std::filesystem::create_directories(directory / "mirrors/antwerp");
        write_file(mirror(), "");
        auto database = storage::Database::open(mirror(), storage::OpenMode::read_write_create);
        REQUIRE(database);
        REQUIRE(
            database->execute("CREATE TABLE recipes (id INTEGER PRIMARY KEY, name TEXT, price REAL, photo BLOB);"
                              "INSERT INTO recipes VALUES (1, 'Waffle, \"fine\"', 2.5, NULL), (2, '', NULL, x'00ff'),"
                              "(30, 'two' || char(10) || 'lines', 1e22, NULL)"));
        write_file(command.config_file, "[storage]\nmirrors = \"" + (directory / "mirrors") + "\"\n");
        command.verb = Verb::sql;
        command.library = "antwerp";
    }

    std::string mirror() const { return directory / "mirrors/antwerp/antwerp.db"; }

    ExitCode ask(const std::string& sql, Output output = Output::text)
    {
        command.read.sql = sql;
        command.output = output;
        captured.out.clear();
        captured.err.clear();
        return run_sql(context());
    }
};

constexpr auto everything = "SELECT * FROM recipes ORDER BY id";

TEST_CASE("a query is answered as a table, numbers to the right")
{
    SqlBench bench;
    CHECK(bench.ask(everything) == ExitCode::done);
    CHECK(bench.captured.out == "id  name              price  photo\n"
                                " 1  Waffle, \"fine\"      2.5  NULL\n"
                                " 2                     NULL  X'00FF'\n"
                                "30  two\\nlines      1.0e+22  NULL\n");
}

TEST_CASE("a wide row is shown with a line for each value")
{
    SqlBench bench;
    CHECK(bench.ask("SELECT id, name, price AS price_now FROM recipes WHERE id <> 1 ORDER BY id", Output::vertical) ==
          ExitCode::done);
    CHECK(bench.captured.out == "       id = 2\n"
                                "     name = \n"
                                "price_now = NULL\n"
                                "\n"
                                "       id = 30\n"
                                "     name = two\n"
                                "            lines\n"
                                "price_now = 1.0e+22\n");
    CHECK(bench.ask("SELECT * FROM recipes WHERE id = 7", Output::vertical) == ExitCode::done);
    CHECK(bench.captured.out.empty());
}

TEST_CASE("an unknown table is answered with those that there are, the nearest first")
{
    SqlBench bench;
    bench.ask("SELECT 1");
    {
        auto database = storage::Database::open(bench.mirror(), storage::OpenMode::read_write_create);
        REQUIRE(database);
        REQUIRE(database->execute("CREATE TABLE outlets (id); CREATE TABLE _resources (id)"));
    }
    CHECK(bench.ask("SELECT * FROM recipies") == ExitCode::failed);
    CHECK(bench.captured.err.find("no such table: recipies") != std::string::npos);
    CHECK(bench.captured.err.find("; known: recipes, outlets; columns are listed by: shelfctl schema antwerp") !=
          std::string::npos);
    CHECK(bench.ask("SELECT prize FROM recipes") == ExitCode::failed);
    CHECK(bench.captured.err.find("no such column: prize (SQLite 1); columns are listed by: shelfctl schema antwerp") !=
          std::string::npos);
}

TEST_CASE("a reader who finds no WAL is told to start the daemon, not that it writes")
{
    SqlBench bench;
    std::filesystem::remove(bench.mirror() + "-wal");
    std::filesystem::remove(bench.mirror() + "-shm");
    Error readonly(ErrorKind::permission, "cannot open x: attempt to write a readonly database (SQLite 1544), x");
    CHECK(with_cure(readonly, bench.mirror()).text() == readonly.text());  // the code tells, not the sentence
    readonly.sqlite = 1544;
    const auto cured = with_cure(readonly, bench.mirror());
    CHECK(cured.kind() == ErrorKind::permission);
    CHECK(cured.text() == "cannot read " + bench.mirror() +
                              ": its files -wal and -shm are missing, and only the daemon may create them; start it, "
                              "or read with sudo");
    CHECK(with_cure(readonly, "/var/lib/shelfd/mirrors/antwerp/antwerp.db")
              .text()
              .find("start it (sudo systemctl start shelfd), or read with sudo") != std::string::npos);
    write_file(bench.mirror() + "-wal", "");
    write_file(bench.mirror() + "-shm", "");
    CHECK(with_cure(readonly, bench.mirror()).text() == readonly.text());
    Error other(ErrorKind::corrupt, "database disk image is malformed");
    other.sqlite = 11;
    CHECK(with_cure(other, "/nowhere/x.db").text() == other.text());
}

TEST_CASE("CSV tells NULL from an empty text and quotes what needs it")
{
    SqlBench bench;
    CHECK(bench.ask(everything, Output::csv) == ExitCode::done);
    CHECK(bench.captured.out == "id,name,price,photo\n"
                                "1,\"Waffle, \"\"fine\"\"\",2.5,\n"
                                "2,\"\",,X'00FF'\n"
                                "30,\"two\nlines\",1.0e+22,\n");
}

TEST_CASE("JSON is one array, with numbers as numbers and each column once")
{
    SqlBench bench;
    CHECK(bench.ask("SELECT id, id, name, price, 9e999 AS inf FROM recipes WHERE id <> 2 ORDER BY id", Output::json) ==
          ExitCode::done);
    CHECK(bench.captured.out == "[{\"id\":1,\"id:1\":1,\"name\":\"Waffle, \\\"fine\\\"\",\"price\":2.5,\"inf\":null},\n"
                                " {\"id\":30,\"id:1\":30,\"name\":\"two\\nlines\",\"price\":1.0e+22,\"inf\":null}]\n");
    CHECK(bench.ask("SELECT id FROM recipes WHERE 0", Output::json) == ExitCode::done);
    CHECK(bench.captured.out == "[]\n");
}

TEST_CASE("an empty result still shows its columns")
{
    SqlBench bench;
    CHECK(bench.ask("SELECT id, name FROM recipes WHERE 0") == ExitCode::done);
    CHECK(bench.captured.out == "id  name\n");
}

TEST_CASE("a long result comes out whole")
{
    SqlBench bench;
    const auto* sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i FROM n";
    for (const auto output : {Output::text, Output::csv, Output::json}) {
        CHECK(bench.ask(sql, output) == ExitCode::done);
        CHECK(std::count(bench.captured.out.begin(), bench.captured.out.end(), '\n') ==
              (output == Output::json ? 5000 : 5001));
        CHECK(bench.captured.out.find("5000") != std::string::npos);
    }
}

TEST_CASE("what may write is refused and changes nothing")
{
    SqlBench bench;
    const auto outside = bench.directory / "copy.db";
    for (const auto& sql : {std::string("DELETE FROM recipes"), std::string("DROP TABLE recipes"),
                            std::string("INSERT INTO recipes (id) VALUES (9)"), std::string("CREATE TABLE mine (x)"),
                            std::string("PRAGMA user_version = 9"), "VACUUM INTO '" + outside + "'"}) {
        INFO(sql);
        CHECK(bench.ask(sql) == ExitCode::failed);
        CHECK(bench.captured.err.find("mirrors are read-only") != std::string::npos);
        CHECK(bench.captured.err.find("sqlite3 my.db \"ATTACH '" + bench.mirror() + "' AS antwerp\"") !=
              std::string::npos);
        CHECK(bench.captured.out.empty());
    }
    for (const auto* sql : {"ATTACH 'x.db' AS x", "-- mine\nattach database 'x.db' AS x", "DETACH x"}) {
        INFO(sql);
        CHECK(bench.ask(sql) == ExitCode::failed);
        CHECK(bench.captured.err.find("to join it with others, ATTACH the mirror to your own database: sqlite3") !=
              std::string::npos);
    }
    CHECK_FALSE(std::filesystem::exists(outside));
    CHECK(bench.ask("SELECT count(*) FROM recipes", Output::csv) == ExitCode::done);
    CHECK(bench.captured.out == "count(*)\n3\n");
}

TEST_CASE("the ATTACH that is advised works for libraries whose name is a word of SQL, or a schema of its own")
{
    SqlBench bench;
    for (const std::string library : {"main", "temp", "order", "index", "all", "group", "antwerp", "st-job"}) {
        INFO(library);
        const auto mirrors = bench.directory / "mirrors/";
        std::filesystem::create_directories(mirrors + library);
        if (library != "antwerp") {
            std::filesystem::copy_file(bench.mirror(), mirrors + library + "/" + library + ".db");
        }
        bench.command.library = library;
        CHECK(bench.ask("ATTACH 'x.db' AS x") == ExitCode::failed);
        const auto& said = bench.captured.err;
        const std::string before = "sqlite3 my.db \"";
        const auto begin = said.find(before) + before.size();
        auto statement = said.substr(begin, said.find("\" \"SELECT") - begin);
        for (auto at = statement.find("\\\""); at != std::string::npos; at = statement.find("\\\"")) {
            statement.erase(at, 1);  // as a shell does between double quotes
        }
        INFO(statement);
        auto own = storage::Database::open(bench.directory / "my.db", storage::OpenMode::read_write_create);
        REQUIRE(own);
        CHECK(own->execute(statement));
        const auto schema = statement.substr(statement.rfind(" AS ") + 4);
        CHECK(own->execute("SELECT * FROM " + schema + ".recipes"));
    }
}

TEST_CASE("one statement is taken, with whatever is no statement behind it")
{
    SqlBench bench;
    for (const auto* sql : {"SELECT 1;", "SELECT 1 ; -- done", "SELECT 1; /* a ; b */ ;\n", "-- first\nSELECT 1"}) {
        INFO(sql);
        CHECK(bench.ask(sql) == ExitCode::done);
    }
    for (const auto* sql : {"SELECT 1; SELECT 2", "SELECT 1; DELETE FROM recipes", "SELECT 1; nonsense"}) {
        INFO(sql);
        CHECK(bench.ask(sql) == ExitCode::failed);
        CHECK(bench.captured.err.find("one statement at a time") != std::string::npos);
    }
}

TEST_CASE("faults of SQL end with 1 and SQLite's words")
{
    SqlBench bench;
    for (const auto* sql : {"SELEC 1", "SELECT nothing FROM recipes", "SELECT * FROM sales", "", "-- nothing"}) {
        INFO(sql);
        CHECK(bench.ask(sql) == ExitCode::failed);
        CHECK(bench.captured.err.find("listed by: shelfctl schema antwerp") != std::string::npos);
    }
}

TEST_CASE("the statement may come from standard input")
{
    SqlBench bench;
    bench.input = "SELECT count(*) AS n\nFROM recipes\n";
    CHECK(bench.ask("-", Output::csv) == ExitCode::done);
    CHECK(bench.captured.out == "n\n3\n");
}

TEST_CASE("a standard input without a statement is said to hold no query")
{
    SqlBench bench;
    CHECK(bench.ask("-") == ExitCode::usage);
    CHECK(bench.captured.err.find("no query was given") != std::string::npos);
    CHECK(bench.captured.err.find("token") == std::string::npos);
}

TEST_CASE("a mirror that is not there says which are")
{
    SqlBench bench;
    bench.command.library = "ghent";
    CHECK(bench.ask("SELECT 1") == ExitCode::usage);
    CHECK(bench.captured.err.find("there is no mirror of ghent") != std::string::npos);
    CHECK(bench.captured.err.find("(known: antwerp)") != std::string::npos);
    bench.command.library = "../mirrors/antwerp";
    CHECK(bench.ask("SELECT 1") == ExitCode::usage);
}

TEST_CASE("a mirror that is being made is not there yet, which is no mistake of whoever asks")
{
    SqlBench bench;
    const auto elsewhere = bench.directory / "mirrors/ghent";
    std::filesystem::create_directories(elsewhere);
    bench.command.library = "ghent";
    CHECK(bench.ask("SELECT 1") == ExitCode::busy);
    CHECK(bench.captured.err.find("the mirror of ghent") != std::string::npos);
    CHECK(bench.captured.err.find("not there yet") != std::string::npos);
    write_file(elsewhere + "/ghent.db", "");
    CHECK(bench.ask("SELECT * FROM freshness") == ExitCode::busy);
    CHECK(bench.captured.err.find("is being made") != std::string::npos);
}

TEST_CASE("a mirror that asks for a later reader is not misread")
{
    SqlBench bench;
    {
        auto database = storage::Database::open(bench.mirror(), storage::OpenMode::read_write_create);
        REQUIRE(database);
        REQUIRE(database->execute("CREATE TABLE _meta (key TEXT PRIMARY KEY, value TEXT);"
                                  "INSERT INTO _meta VALUES ('min_reader', '1')"));
        CHECK(bench.ask("SELECT count(*) FROM recipes") == ExitCode::done);
        REQUIRE(database->execute("UPDATE _meta SET value = '9.1' WHERE key = 'min_reader'"));
    }
    CHECK(bench.ask("SELECT count(*) FROM recipes") == ExitCode::needs_person);
    CHECK(bench.captured.err.find("needs a shelfctl that knows mirrors of version 9.1") != std::string::npos);
}

TEST_CASE("a file that is no database is said to be none")
{
    SqlBench bench;
    std::filesystem::create_directories(bench.directory / "mirrors/broken");
    write_file(bench.directory / "mirrors/broken/broken.db", std::string(4096, 'x'));
    bench.command.library = "broken";
    CHECK(bench.ask("SELECT * FROM sqlite_master") == ExitCode::failed);
    CHECK(bench.captured.err.find("not a database") != std::string::npos);
}

}  // namespace
}  // namespace shelfd::ctl

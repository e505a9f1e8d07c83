#include "ctl/mirror_bench.hpp"
#include "ctl/socket_server.hpp"
#include "storage/sqlite.hpp"
#include "support/catch.hpp"

namespace shelfd::ctl {
namespace {

struct SchemaBench : MirrorBench {
    SchemaBench()
    {
        command.verb = Verb::schema;
        load(R"({"id": 1, "Name": "Waffle", "name": null, "price": 2, "when": "2024-01-06T06:00:00Z"})");
        time.step_wall(std::chrono::hours(1));
        load(
            R"({"id": 1, "Name": "Waffle", "name": null, "price": "free\nof charge", "when": "2024-01-06T06:00:00Z"})");
    }

    ExitCode ask(Output output = Output::text)
    {
        command.output = output;
        captured.out.clear();
        captured.err.clear();
        return run_schema(context());
    }
};

TEST_CASE("the schema is SQL that says where each column comes from and what drifted")
{
    SchemaBench bench;
    bench.command.resource = "recipes";
    CHECK(bench.ask() == ExitCode::done);
    const auto expected = R"(-- 1 row, fresh, as of 2024-01-06T07:00:00Z
CREATE TABLE "recipes" (
    "id" INTEGER PRIMARY KEY,  -- integer, since 2024-01-06T06:00:00Z
    "Name" TEXT,               -- text, since 2024-01-06T06:00:00Z
    "price" INTEGER,           -- integer, since 2024-01-06T06:00:00Z; drift: text of 1 item, last 2024-01-06T07:00:00Z, item 1: "\"free\\nof charge\""
    "when" DATETIME,           -- datetime, since 2024-01-06T06:00:00Z
    "_shape" INTEGER,          -- which keys the item has: _shapes
    "_exact" TEXT,             -- JSON of the values that their columns cannot hold exactly; NULL in nearly every row
    "name_2"                   -- only null so far, key "name", since 2024-01-06T06:00:00Z
);
)";
    CHECK(bench.captured.out == expected);
    write_file(bench.directory / "copy.db", "");
    auto copy = storage::Database::open(bench.directory / "copy.db", storage::OpenMode::read_write_create);
    REQUIRE(copy);
    CHECK(copy->execute(bench.captured.out));
}

TEST_CASE("without a table's name the schema holds all tables and the views, none of ours")
{
    SchemaBench bench;
    CHECK(bench.ask() == ExitCode::done);
    CHECK(bench.captured.out.find("CREATE TABLE \"outlets\"") != std::string::npos);
    CHECK(bench.captured.out.find("CREATE TABLE \"recipes\"") != std::string::npos);
    CHECK(bench.captured.out.find("-- view \"freshness\" (\"resource\", \"state\"") != std::string::npos);
    CHECK(bench.captured.out.find("_runs\"") == std::string::npos);
    bench.command.resource = "sales";
    CHECK(bench.ask() == ExitCode::usage);
    CHECK(bench.captured.err.find("no table sales (known: outlets, recipes)") != std::string::npos);
}

TEST_CASE("a key of several columns stands behind them")
{
    MirrorBench bench({{.name = "stock", .key = {"outlet", "sku"}}});
    bench.load(R"({"sku": "a", "outlet": 1})", "stock");
    bench.command.verb = Verb::schema;
    CHECK(run_schema(bench.context()) == ExitCode::done);
    CHECK(bench.captured.out.find("    PRIMARY KEY (\"outlet\", \"sku\")\n);\n") != std::string::npos);
}

TEST_CASE("as JSON, every fact of the comments is a member")
{
    SchemaBench bench;
    bench.command.resource = "recipes";
    CHECK(bench.ask(Output::json) == ExitCode::done);
    CHECK(bench.captured.out.find(R"({"name":"price","declared":"INTEGER","key":"price","kind":"integer",)"
                                  R"("since_run":"run-1","since":"2024-01-06T06:00:00.000000Z","in_key":0,)"
                                  R"("drift":[{"found":"text","items":1,"item_key":"1",)") != std::string::npos);
    CHECK(bench.captured.out.find(R"({"name":"_shape","declared":"INTEGER","key":null,"kind":null,)") !=
          std::string::npos);
}

TEST_CASE("a retype is asked of the daemon, and its answer told")
{
    VerbBench bench;
    bench.command.library = "antwerp";
    bench.command.read.retype = "recipes.price";
    SocketServer server(bench.environment["SHELFD_SOCKET"],
                        {http_answer(200, R"({"ok":true,"before":"integer","after":"text","rows":3})"),
                         http_answer(200, R"({"ok":true,"before":"text","after":"text","rows":0})"),
                         http_answer(409, R"({"error":{"kind":"busy","text":"a pass is under way"}})")});
    CHECK(run_schema(bench.context()) == ExitCode::done);
    CHECK(bench.captured.out == "recipes.price was integer and is text now; 3 rows rewritten, no value changed\n");
    bench.captured.out.clear();
    CHECK(run_schema(bench.context()) == ExitCode::done);
    CHECK(bench.captured.out == "recipes.price stays text: its values have that kind\n");
    CHECK(run_schema(bench.context()) == ExitCode::busy);
    const auto requests = server.requests();
    CHECK(requests[0].find("POST /v1/retype") == 0);
    CHECK(requests[0].find(R"({"library":"antwerp","resource":"recipes","column":"price"})") != std::string::npos);
}

}  // namespace
}  // namespace shelfd::ctl

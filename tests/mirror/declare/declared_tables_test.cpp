#include "mirror/declare/declared_tables.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/mirror_fixture.hpp"
#include "support/catch.hpp"
#include "support/simulated_clock.hpp"
#include "support/temp_directory.hpp"

using namespace shelfd;

namespace {

struct TablesBench {
    TablesBench() { must(mirror::create_schema(database, "antwerp", "feed", clock.now().to_text())); }

    std::string make(std::vector<mirror::ResourceSpec> specs)
    {
        must(tables.set(std::move(specs)));
        return must(tables.make(database));
    }
    bool has(const std::string& table) { return must(mirror::has_table(database, table)); }
    std::uint64_t number(const std::string& sql) { return must(mirror::one_number(database, sql)); }

    TempDirectory directory;
    asio::io_context loop;
    SimulatedClock clock{loop};
    mirror::OpenPasses passes;
    mirror::DeclaredTables tables{clock, passes};
    storage::Database database = [this] {
        write_file(directory / "antwerp.db", "");
        return must(storage::Database::open(directory / "antwerp.db", storage::OpenMode::read_write_create));
    }();
};

}  // namespace

TEST_CASE("a name that cannot be a table is refused, and what was declared before stays declared")
{
    TablesBench bench;
    must(bench.tables.set({{.name = "things"}}));
    const std::string name = GENERATE("", "_things", "sqlite_things", "freshness");
    const auto refused = bench.tables.set({{.name = "others"}, {.name = name}});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind() == ErrorKind::usage);
    CHECK(bench.tables.specs().size() == 1);
    CHECK(bench.tables.specs().front().name == "things");
}

TEST_CASE("beside a table with details, the table of them is declared with the same key")
{
    TablesBench bench;
    CHECK(bench.make({{.name = "things", .key = {"no"}, .detail = mirror::DetailSpec{}}}).empty());
    CHECK(bench.tables.specs().size() == 2);
    CHECK(bench.tables.spec_of("things_detail").detail_of == "things");
    CHECK(bench.tables.spec_of("things_detail").key == std::vector<std::string>{"no"});
    CHECK(bench.has("things"));
    CHECK(bench.has("things_detail"));
    CHECK(bench.has("_queue_things"));
}

TEST_CASE("a table that is not declared has the defaults of its specification, under its own name")
{
    TablesBench bench;
    CHECK(bench.tables.spec_of("things").name == "things");
    CHECK(bench.tables.spec_of("things").changes == mirror::ChangeDetail::values);
}

TEST_CASE("tables that are declared no more are retired; rows that had to go are a notice, and renew the feed")
{
    TablesBench bench;
    const auto feed = [&] { return must(mirror::read_meta(bench.database, "feed")); };
    CHECK(bench.make({{.name = "things"}, {.name = "others"}}).empty());
    CHECK(feed() == "feed");
    const auto notice = bench.make({{.name = "things", .key = {"no"}}});
    CHECK(notice == "the key of things changed: the table is filled again");
    CHECK(feed() != "feed");
    CHECK(bench.number("SELECT retired FROM _resources WHERE resource = 'others'") == 1);
    CHECK(bench.number("SELECT retired FROM _resources WHERE resource = 'things'") == 0);
}

TEST_CASE("staging that a crash left goes with the next declaration, but not while a pass is open")
{
    TablesBench bench;
    must(bench.database.execute("CREATE TABLE _staging_things (id); CREATE TABLE _seen_things (k1)"));
    std::optional<Error> broken;
    bench.passes.open("things", broken);
    bench.make({{.name = "things"}});
    CHECK(bench.has("_staging_things"));
    bench.passes.close("things");
    bench.make({{.name = "things"}});
    CHECK_FALSE(bench.has("_staging_things"));
    CHECK_FALSE(bench.has("_seen_things"));
}

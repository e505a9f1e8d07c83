#include "mirror/mirror_fixture.hpp"
#include "mirror/publish/table_checks.hpp"
#include "support/catch.hpp"

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

// A mirror of two tables with a row each; another connection looks at it, and breaks it.
struct ChecksBench {
    ChecksBench()
    {
        fixture.load({R"({"id":1})"}, "things");
        fixture.load({R"({"id":1})"}, "others");
        must(fixture.mirror->close_idle());
    }

    Result<void> check(const std::string& resource = "things", std::uint64_t epoch = 0)
    {
        return checks.before_pass(database, resource, fixture.specs, epoch);
    }
    // The row goes, and what passes rely on stays.
    void lose_row(const std::string& resource) { must(database.execute("DELETE FROM " + resource)); }

    MirrorFixture fixture{{{.name = "things"}, {.name = "others"}}};
    storage::Database database = must(storage::Database::open(fixture.file(), storage::OpenMode::read_write_create));
    mirror::OpenPasses passes;
    mirror::TableChecks checks{fixture.clock, passes};
};

bool is_corrupt(const Result<void>& checked)
{
    return !checked && checked.error().kind() == ErrorKind::corrupt;
}

}  // namespace

TEST_CASE("the first check is of all tables, later ones of the table that a pass is about, once an hour")
{
    ChecksBench bench;
    SECTION("all at first")
    {
        bench.lose_row("others");
        CHECK(is_corrupt(bench.check("things")));
    }
    SECTION("its own, once an hour")
    {
        must(bench.check());
        bench.lose_row("things");
        bench.fixture.clock.advance_by(59min);
        CHECK(bench.check());
        bench.fixture.clock.advance_by(1min);
        CHECK(bench.check("others"));
        CHECK(is_corrupt(bench.check()));
    }
}

TEST_CASE("once earlier checks are void, all tables are checked again at once")
{
    ChecksBench bench;
    must(bench.check("things", 0));
    bench.lose_row("others");
    CHECK(bench.check("things", 0));
    CHECK(is_corrupt(bench.check("things", 1)));
}

TEST_CASE("the check of all tables waits for a pass that begins alone")
{
    ChecksBench bench;
    bench.lose_row("others");
    std::optional<Error> broken;
    bench.passes.open("others", broken);
    CHECK(bench.check());
    bench.passes.close("others");
    CHECK(is_corrupt(bench.check()));
}

TEST_CASE("a table that a pass is about is checked though a pass over another one is open all the time")
{
    ChecksBench bench;
    std::optional<Error> broken;
    bench.passes.open("others", broken);
    must(bench.check());
    bench.lose_row("things");
    bench.fixture.clock.advance_by(1h);
    CHECK(is_corrupt(bench.check()));
}

TEST_CASE("the look at each cell waits for open passes, for a day at most")
{
    ChecksBench bench;
    must(bench.check());
    const auto checked_at = [&bench] {
        auto read = must(bench.database.prepare("SELECT value FROM _meta WHERE key = 'checked_at'"));
        return must(read.step()) ? std::string(read.text(0)) : std::string();
    };
    const auto first = checked_at();
    REQUIRE_FALSE(first.empty());
    std::optional<Error> broken;
    bench.passes.open("others", broken);
    bench.fixture.clock.advance_by(7 * 24h + 1h);
    must(bench.check());
    CHECK(checked_at() == first);
    bench.fixture.clock.advance_by(24h);
    must(bench.check());
    CHECK(checked_at() != first);
}

TEST_CASE("a leaf that stands in the place of another one is found in a table of texts as well")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":"aa"},{"id":"bb"},{"id":"cc"})"});
    must(fixture.mirror->close_idle());
    auto database = must(storage::Database::open(fixture.file(), storage::OpenMode::read_write_create));
    mirror::OpenPasses passes;
    mirror::TableChecks checks{fixture.clock, passes};
    must(checks.before_pass(database, "things", fixture.specs, 0));
    // As many rows, with keys as long as before.
    must(database.execute("UPDATE things SET id = 'bd' WHERE id = 'bb'"));
    fixture.clock.advance_by(1h);
    CHECK(is_corrupt(checks.before_pass(database, "things", fixture.specs, 0)));
}

TEST_CASE("keys of texts, of both kinds and of several parts are the same for the check in the table and in its states")
{
    const auto* const page = GENERATE(R"({"id":"a"},{"id":"\u00e9"},{"id":"caf\u0065"})", R"({"id":7},{"id":"7"})",
                                      R"({"id":18446744073709551616},{"id":-7})");
    const bool has_parts = GENERATE(false, true);
    INFO(page);
    MirrorFixture fixture(
        {{.name = "things", .key = has_parts ? std::vector<std::string>{"id", "n"} : std::vector<std::string>{"id"}}});
    std::string items = page;
    for (std::size_t at = 0; has_parts && (at = items.find("{", at)) != std::string::npos; at += 7) {
        items.insert(at + 1, "\"n\":1,");
    }
    fixture.load({items});
    fixture.clock.advance_by(8 * 24h);
    CHECK(fixture.load({items}).changed == 0);
    CHECK(fixture.mirror->repairs().empty());
}

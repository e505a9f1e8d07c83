// Clocks that are wrong: ours, set back while a pass goes on; the service's, for a single answer.
#include "app/library_bench.hpp"

#include "support/catch.hpp"

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

BenchOptions incremental()
{
    BenchOptions options;
    options.world.rows_of["library/recipes"] = 50;
    options.page_size = 20;
    options.ordering = "";
    options.incremental =
        config::Incremental{"modified_date__gt", "modified_date", config::Incremental::Format::datetime, 5min};
    return options;
}

void change_one(LibraryBench& bench)
{
    bench.world()->edit("lib01", "library/recipes", {.change = {*sim::parse_json(R"({"id":7,"name":"changed"})")}});
}

// While a pass goes on, the clock is set.
void step_in_mid_pass(LibraryBench& bench, Duration by)
{
    sim::Fault slow;
    slow.path = "/api/v2/library/";
    slow.times = std::nullopt;
    slow.delay = 1min;
    bench.world()->faults.add(slow);
    auto& worker = *bench.unit->tables().lists().front();
    while (!bench.status().running || bench.status().running->phase != Phase::pages) {
        REQUIRE(bench.clock.advance_to_next());
    }
    const auto ended = worker.report().passes_ended;
    bench.step_wall(by);
    while (worker.report().passes_ended == ended) {
        REQUIRE(bench.clock.advance_to_next());
    }
    bench.world()->faults.clear();
    REQUIRE(worker.report().last_pass->published);
}

std::string starts(const LibraryBench& bench, int letters)
{
    return bench.query("SELECT group_concat(substr(started_at, 1, " + std::to_string(letters) +
                       "), ' ') FROM (SELECT started_at FROM _runs ORDER BY rowid DESC LIMIT 3)");
}

}  // namespace

TEST_CASE("a clock that is set back while a pass goes on keeps the distance of an interval")
{
    const auto by = GENERATE(Duration(2h), Duration(24h * 365), Duration(90s));
    BenchOptions options;
    options.world.rows = 5;
    LibraryBench bench(options);
    REQUIRE(bench.sync().published);
    bench.unit->tables().lists().front()->request_pass();
    step_in_mid_pass(bench, -by);
    REQUIRE(bench.status().next_due);
    CHECK(*bench.status().next_due <= bench.clock.now() + 15min);
    CHECK(*bench.status().next_due >= bench.clock.now() + 12min);
    const auto before = bench.status().passes;
    bench.pass_time(1h);
    CHECK(bench.status().passes >= before + 3);
    CHECK(bench.status().passes <= before + 5);
}

TEST_CASE("a clock that is set back in a planned pass repeats it only where its calendar begins anew")
{
    struct Row {
        const char* name;
        Duration by;
        const char* starts;  // newest first
    };
    const auto row = GENERATE(values<Row>({
        {"by hours", 2h, "2027-05-03T01:30 2027-05-02T01:30 2027-05-01T12:00"},
        {"by a year", 24h * 365, "2026-05-03T01:30 2027-05-02T01:30 2027-05-01T12:00"},
    }));
    INFO(row.name);
    BenchOptions options;
    options.world.rows = 5;
    options.at = {3h + 30min};
    LibraryBench bench(options);
    bench.set_wall(Instant::from_rfc3339("2027-05-01T12:00:00Z").value());
    REQUIRE(bench.sync().published);
    while (bench.clock.now() < Instant::from_rfc3339("2027-05-02T01:30:00Z").value()) {
        REQUIRE(bench.clock.advance_to_next());
    }
    step_in_mid_pass(bench, -row.by);
    bench.pass_time(27h);
    CHECK(starts(bench, 16) == row.starts);
}

TEST_CASE("a clock that is set back while a list is in trouble leaves nothing planned by the clock that was wrong")
{
    const bool in_lists = GENERATE(true, false);
    INFO((in_lists ? "lists by parent" : "changes, and whole walks between them"));
    auto options = incremental();
    std::string table = "recipes";
    if (in_lists) {
        options = {};
        options.family = "inventory";
        options.resources = {"stock", "outlets"};
        options.parent = config::Parent{"outlets", "id", "outlet_id", {}, {}};
        options.world.rows_of["inventory/outlets"] = 3;
        options.ordering = "";
        table = "stock";
    }
    options.begin = Instant::from_rfc3339("2027-05-01T12:00:00Z").value();
    LibraryBench bench(options);
    // A battery that ran out wrote the year.
    bench.step_wall(24h * 3650);
    bench.pass_time(1h);
    sim::Fault down;
    down.path = "/api/v2/";
    down.status = 502;
    down.times = std::nullopt;
    bench.world()->faults.add(down);
    bench.pass_time(20min);
    REQUIRE(bench.unit->tables().lists().front()->report().trouble != sync::Trouble::none);
    bench.step_wall(-24h * 3650);
    bench.pass_time(10min);
    bench.world()->faults.clear();
    bench.pass_time(30min);
    const auto passes = [&] { return bench.status(table).passes; };
    const auto before = passes();
    const auto whole = [&] {
        return std::stoi(bench.query("SELECT count(*) FROM _runs WHERE mode = 'full' AND resource = '" + table +
                                     "' AND result = 'published'"));
    };
    const auto whole_before = whole();
    bench.pass_time(25h);
    CHECK(passes() > before + 90);
    CHECK(passes() < before + 130);
    CHECK(whole() > whole_before);
}

TEST_CASE("an answer whose Date is a day ahead moves no cursor past what comes, and makes no table younger than it is")
{
    LibraryBench bench(incremental());
    bench.pass_time(1min);
    REQUIRE(bench.sync().kind == sync::PassKind::incremental);
    bench.client.date_ahead = 24h;
    REQUIRE(bench.sync().published);
    CHECK(*bench.status().as_of <= bench.clock.now());
    bench.pass_time(10min);
    change_one(bench);
    bench.client.date_ahead = Duration(0);
    bench.pass_time(10min);
    const auto pass = bench.sync();
    CHECK(pass.kind == sync::PassKind::incremental);
    CHECK(bench.query("SELECT name FROM recipes WHERE id = 7") == "changed");
}

TEST_CASE("a cursor that lies in the future is not asked from: the list is walked whole, once")
{
    LibraryBench bench(incremental());
    bench.pass_time(1min);
    REQUIRE(bench.sync().kind == sync::PassKind::incremental);
    change_one(bench);
    bench.pass_time(1min);
    bench.stop();
    {
        auto mirror =
            storage::Database::open(bench.files / "mirrors/lib01/lib01.db", storage::OpenMode::read_write_create);
        REQUIRE(mirror);
        const auto later = (bench.clock.now() + 24h).to_text();
        REQUIRE(mirror->execute("UPDATE _resources SET changes_from = '" + later + "'"));
    }
    bench.start();
    CHECK(bench.unit->tables().lists().front()->preview({}).why.find("a clock was wrong") != std::string::npos);
    const auto pass = bench.sync();
    CHECK(pass.kind == sync::PassKind::full);
    CHECK(bench.query("SELECT name FROM recipes WHERE id = 7") == "changed");
    CHECK(bench.sync().kind == sync::PassKind::incremental);
}

TEST_CASE("changes that are made while the service's clock is set back are brought, though they are dated before the "
          "last pass")
{
    const bool before_a_pass = GENERATE(true, false);
    const bool starts_anew = GENERATE(false, true);
    INFO((before_a_pass ? "changed before a pass meets that clock" : "changed after it")
         << (starts_anew ? ", the daemon starts anew" : ""));
    LibraryBench bench(incremental());
    bench.pass_time(1h);
    REQUIRE(bench.sync().kind == sync::PassKind::incremental);
    bench.client.date_ahead = -2h;
    if (starts_anew) {
        bench.stop();
        bench.clock.advance_by(1min);
        bench.start();
    }
    bench.pass_time(before_a_pass ? 1min : 20min);
    const auto dated = (bench.clock.now() - 2h).to_text();
    bench.world()->edit(
        "lib01", "library/recipes",
        {.change = {*sim::parse_json(R"({"id":7,"name":"changed","modified_date":")" + dated + R"("})")}});
    bench.pass_time(40min);
    CHECK(bench.query("SELECT name FROM recipes WHERE id = 7") == "changed");
    bench.client.date_ahead = Duration(0);
    CHECK(bench.sync().kind == sync::PassKind::incremental);
    CHECK(bench.query("SELECT count(*) FROM _runs WHERE mode = 'full'") == "1");
}

TEST_CASE("a table is as old as the request for its first page, however late the answer is dated")
{
    LibraryBench bench(incremental());
    bench.pass_time(1min);
    sim::Fault slow;
    slow.path = "/api/v2/library/recipes/";
    slow.times = std::nullopt;
    slow.delay = 8s;
    bench.world()->faults.add(slow);
    REQUIRE(bench.sync().published);
    CHECK(*bench.status().as_of <= bench.clock.now() - 8s);
    CHECK(*bench.status().as_of > bench.clock.now() - 30s);
}

TEST_CASE("a clock of ours that is more than a year ahead makes no table younger than the service says")
{
    const auto ahead = GENERATE(Duration(24h * 40), Duration(24h * 400));
    auto options = incremental();
    options.begin = Instant::from_rfc3339("2027-05-01T12:00:00Z").value() + ahead;
    LibraryBench bench(options);
    bench.client.date_ahead = -ahead;
    bench.pass_time(1h);
    REQUIRE(bench.sync().published);
    CHECK(*bench.status().as_of <= bench.clock.now() - ahead);
}

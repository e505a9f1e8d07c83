// What a pass would ask, told before it is made.
#include "app/library_bench.hpp"

#include "support/catch.hpp"

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

const sync::ResourceWorker& worker(const LibraryBench& bench)
{
    return *bench.unit->tables().lists().front();
}

BenchOptions incremental()
{
    BenchOptions options;
    options.world.rows = 50;
    options.page_size = 20;
    options.every = 24h;
    options.full_every = 72h;
    options.incremental =
        config::Incremental{"modified_date__gt", "modified_date", config::Incremental::Format::datetime, 5min};
    return options;
}

}  // namespace

TEST_CASE("a preview names the pass that is made then, its first request and what it takes")
{
    LibraryBench bench(incremental());
    bench.pass_time(5min);
    const auto before = bench.unit->limiter().status().requests;
    const auto preview = worker(bench).preview({sync::Wanted::full_by_person});
    CHECK(preview.kind == sync::PassKind::full);
    CHECK(preview.why == "a person requested the whole list");
    CHECK(preview.target == "/api/v2/library/recipes/?ordering=-id&page_size=20");
    CHECK(bench.unit->limiter().status().requests == before);
    // What a pass that brings something takes: one that does not needs no canary behind its pages.
    bench.world()->edit("lib01", "library/recipes", {.change = {*sim::parse_json(R"({"id":1,"name":"Soup"})")}});
    const auto pass = bench.sync("recipes", sync::Wanted::full_by_person);
    REQUIRE(preview.requests);
    CHECK(preview.tries_filter);
    CHECK(*preview.requests ==
          pass.requests() - pass.spent.of(budget::Reason::filter_try) - pass.spent.of(budget::Reason::end_try));
}

TEST_CASE("a preview says since when changes are asked for, and that the filter is tried before it is relied on")
{
    LibraryBench bench(incremental());
    bench.pass_time(5min);
    const auto untried = worker(bench).preview({sync::Wanted::ordinary});
    CHECK(untried.tries_filter);
    CHECK(untried.kind == sync::PassKind::incremental);
    CHECK(untried.why.find(", if the filter works; else the whole list") != std::string::npos);
    CHECK(bench.sync().kind == untried.kind);
    const auto tried = worker(bench).preview({sync::Wanted::ordinary});
    CHECK_FALSE(tried.tries_filter);
    CHECK(tried.kind == sync::PassKind::incremental);
    CHECK(tried.why.find("what changed since 2") == 0);
    CHECK(tried.target.find("modified_date__gt=") != std::string::npos);
    CHECK(tried.requests == 1u);
}

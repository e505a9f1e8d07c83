// What people ask for while other things go on.
#include "app/library_bench.hpp"

#include "support/catch.hpp"

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

BenchOptions incremental(std::size_t rows, std::uint32_t page_size)
{
    BenchOptions options;
    options.world.rows_of["library/recipes"] = rows;
    options.page_size = page_size;
    options.ordering = "";
    options.incremental =
        config::Incremental{"modified_date__gt", "modified_date", config::Incremental::Format::datetime, 5min};
    return options;
}

// A list of 100 pages that takes minutes, beside one that is looked at every minute.
BenchOptions long_and_short()
{
    auto options = incremental(500, 5);
    options.resources = {"recipes", "ingredients"};
    options.world.rows_of["library/ingredients"] = 4;
    options.requests_per_minute = 30;
    options.every = 1h;
    options.configure = [](config::Library& library) { library.resources.own()[1].schedule.interval = 1min; };
    return options;
}

const sync::ResourceReport& ingredients(const LibraryBench& bench)
{
    return bench.unit->tables().lists()[1]->report();
}

}  // namespace

TEST_CASE("a full pass that somebody waits for is not lost to a later request for an ordinary one")
{
    LibraryBench bench(incremental(60, 20));
    bench.pass_time(1min);
    auto& worker = *bench.unit->tables().lists().front();
    const bool busy = GENERATE(true, false);
    INFO((busy ? "while a pass goes on" : "while nothing goes on"));
    if (busy) {
        worker.request_pass();
        REQUIRE(bench.clock.advance_to_next());
        REQUIRE(worker.is_busy());
    }
    const auto full = worker.request_pass({sync::Wanted::full_by_person});
    CHECK(worker.request_pass() == full);
    while (worker.report().passes_ended < full) {
        REQUIRE(bench.clock.advance_to_next());
    }
    CHECK(worker.report().last_pass->kind == sync::PassKind::full);
    bench.pass_time(1min);
    CHECK(worker.report().passes_ended == full);
}

TEST_CASE("a long list that somebody waits for leaves the others their turn")
{
    LibraryBench bench(long_and_short());
    bench.pass_time(10min);
    REQUIRE(bench.ids().size() == 500);
    const auto before = ingredients(bench).passes_ended;
    const auto began = bench.clock.now();
    const auto pass = bench.sync("recipes", sync::Wanted::full_by_person);
    REQUIRE(pass.published);
    const auto minutes = (bench.clock.now() - began) / 1min;
    REQUIRE(minutes >= 3);
    CHECK(ingredients(bench).passes_ended + 1 >= before + static_cast<std::uint64_t>(minutes));
}

TEST_CASE("a list whose length nobody knows goes first for a while, and no longer")
{
    auto options = long_and_short();
    options.world.rows_of["library/recipes"] = 0;
    LibraryBench bench(options);
    bench.pass_time(10min);
    bench.world()->edit("lib01", "library/recipes", {.add_seeded = 500});
    const auto before = ingredients(bench).passes_ended;
    const auto began = bench.clock.now();
    REQUIRE(bench.sync("recipes", sync::Wanted::full_by_person).pages == 100);
    const auto minutes = (bench.clock.now() - began) / 1min;
    REQUIRE(minutes >= 3);
    CHECK(ingredients(bench).passes_ended + 2 >= before + static_cast<std::uint64_t>(minutes));
}

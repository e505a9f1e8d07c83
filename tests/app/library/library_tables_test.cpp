#include "app/library/library_tables.hpp"

#include "app/library_bench.hpp"
#include "support/catch.hpp"

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

BenchOptions with_details()
{
    BenchOptions options;
    options.world.rows = 12;
    options.detail = config::Detail{"url", "", 24h * 7};
    return options;
}

}  // namespace

TEST_CASE("the tables of a library are its lists and their details, and only a list is found as one")
{
    LibraryBench bench(with_details());
    const auto& tables = bench.unit->tables();
    CHECK(tables.has("recipes"));
    CHECK(tables.has("recipes_detail"));
    CHECK_FALSE(tables.has("sales"));
    CHECK(tables.find("recipes") == tables.lists().front().get());
    CHECK(tables.find("recipes_detail") == nullptr);
}

TEST_CASE("tables have rows after the first pass, and are idle until the next one is due")
{
    LibraryBench bench(with_details());
    bench.stop();
    bench.open();
    CHECK(bench.unit->tables().have_rows() == false);
    bench.unit->start();
    bench.clock.settle();
    bench.pass_time(1min);
    CHECK(bench.unit->tables().have_rows());
    for (const auto& worker : bench.unit->tables().lists()) {
        CHECK_FALSE(worker->is_busy());
        CHECK(worker->report().next_due > bench.clock.now());
    }
}

TEST_CASE("tables of a library that was paused say so, and stop saying so, before anything runs")
{
    auto options = with_details();
    options.configure = [](config::Library& library) { library.paused = true; };
    LibraryBench bench(options);
    CHECK(bench.status().state == control::State::paused);
    CHECK(bench.status("recipes_detail").state == control::State::paused);
    bench.stop();
    bench.options().configure = {};
    bench.open();
    CHECK(bench.status().state == control::State::filling);
    CHECK(bench.status("recipes_detail").state == control::State::filling);
}

// Hours in which the daemon leaves the service alone.
#include "app/library_bench.hpp"
#include "support/catch.hpp"

using namespace shelfd;
using namespace std::chrono_literals;

TEST_CASE("in quiet hours nothing is requested by itself and no table is late, but a person is served")
{
    BenchOptions options;
    options.world.rows = 40;
    options.page_size = 20;
    options.hour = 20;
    options.detail = config::Detail{"url", "", 24h};
    options.configure = [](config::Library& library) { library.service.quiet = {{22h, 6h}}; };
    LibraryBench bench(options);
    const auto requests = [&bench] { return bench.client.asked.size(); };
    REQUIRE(bench.sync().published);
    bench.pass_time(1h);
    const auto in_the_evening = requests();
    CHECK(in_the_evening > 40);
    bench.pass_time(1h + 5min);
    REQUIRE(requests() > in_the_evening);

    const auto at_ten = requests();
    bench.world()->edit("lib01", "library/recipes", {.add_seeded = 5});
    bench.pass_time(7h);
    CHECK(requests() == at_ten);
    const auto asleep = bench.status();
    CHECK(asleep.state == control::State::fresh);
    REQUIRE(asleep.next_due);
    CHECK(asleep.next_due->to_text().find("T06:0") != std::string::npos);
    CHECK(asleep.quiet_until == asleep.next_due);
    CHECK(bench.sync().published);
    CHECK(requests() > at_ten);

    const auto before_six = requests();
    bench.pass_time(30min);
    CHECK(requests() == before_six);
    bench.pass_time(1h);
    CHECK(requests() > before_six);
    CHECK(bench.status().state == control::State::fresh);
    CHECK_FALSE(bench.status().quiet_until);
}

TEST_CASE("a first load that quiet hours delay says so, and how to begin now")
{
    BenchOptions options;
    options.world.rows = 40;
    options.hour = 23;
    options.detail = config::Detail{"url", "", 24h};
    options.configure = [](config::Library& library) { library.service.quiet = {{22h, 6h}}; };
    LibraryBench bench(options);
    bench.pass_time(1h);
    const auto status = bench.status();
    CHECK(status.state == control::State::filling);
    // The set was imported after the start: neither the table nor its details wait for a person any more.
    CHECK(bench.query("SELECT count(*) FROM freshness WHERE state = 'needs_person'") == "0");
    REQUIRE(status.quiet_until);
    CHECK(status.why == "the first pass waits for the end of the quiet hours at " +
                            status.quiet_until->to_short_text() + "; to sync now: shelfctl sync lib01");
    CHECK(bench.sync().published);
    CHECK(bench.status().state == control::State::fresh);
    CHECK(bench.status().why.empty());
}

TEST_CASE("only passes that quiet hours delay are said to wait for their end")
{
    BenchOptions options;
    options.world.rows = 40;
    options.hour = 20;
    options.configure = [](config::Library& library) { library.service.quiet = {{22h, 6h}}; };
    LibraryBench bench(options);
    bench.pass_time(10min);
    CHECK_FALSE(bench.status().quiet_until);
    options.configure = [](config::Library& library) {
        library.service.quiet = {{22h, 6h}};
        library.paused = true;
    };
    options.hour = 23;
    LibraryBench paused(options);
    paused.pass_time(10min);
    CHECK_FALSE(paused.status().quiet_until);
}

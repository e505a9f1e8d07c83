// What the status says after a restart of the same trouble.
#include "app/troubles/daemon_bench.hpp"
#include "support/catch.hpp"

using namespace shelfd;
using namespace std::chrono_literals;

TEST_CASE("since when a token set waits for a person is the same after a restart")
{
    DaemonBench bench;
    bench.pass_time(5min);
    SECTION("forgotten")
    {
        REQUIRE(bench.clock.run(bench.operations().forget({"antwerp"})));
    }
    SECTION("taken for a copy")
    {
        bench.stop();
        bench.machine_id = "fedcba9876543210fedcba9876543210";
        bench.start();
    }
    bench.pass_time(10min);
    const auto before = bench.status().libraries.front().token;
    REQUIRE(before.needs_person);
    bench.stop();
    bench.pass_time(1h);
    bench.start();
    bench.pass_time(5min);
    const auto after = bench.status().libraries.front().token;
    CHECK(after.state == before.state);
    REQUIRE(after.since);
    REQUIRE(before.since);
    INFO(before.since->to_text() << " " << after.since->to_text());
    CHECK(after.since->seconds() == before.since->seconds());
    // Another state begins when it begins.
    const auto now = bench.clock.now();
    REQUIRE(bench.import_set());
    CHECK(bench.status().libraries.front().token.since >= now);
}

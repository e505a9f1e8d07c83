// What the status says after a restart of the same trouble.
#include "app/troubles/daemon_bench.hpp"
#include "support/catch.hpp"

using namespace shelfd;
using namespace std::chrono_literals;

TEST_CASE("what a service that fails has done to a table, and when it is tried again, is the same after a restart")
{
    DaemonOptions options;
    options.libraries = {"antwerp"};
    options.resources = "[resource.recipes]\npath = \"/api/v2/library/recipes/\"\nevery = \"1h\"\n";
    DaemonBench bench(options);
    const auto recipes = [&bench] { return bench.status().libraries.front().resources.front(); };
    bench.pass_time(10min);
    REQUIRE(recipes().state == control::State::fresh);
    sim::Fault down;
    down.path = "/api/v2/library/recipes/";
    down.times = std::nullopt;
    down.acts = false;
    down.status = 503;
    bench.fail(down);
    for (int minute = 0; minute < 90 && recipes().trouble == sync::Trouble::none; ++minute) {
        bench.pass_time(1min);
    }
    const auto before = recipes();
    REQUIRE(before.trouble == sync::Trouble::passing);
    REQUIRE(before.next_due);
    REQUIRE(*before.next_due > bench.clock.now());
    bench.stop();
    bench.start();
    bench.pass_time(1s);
    const auto after = recipes();
    CHECK(after.trouble == before.trouble);
    CHECK(after.why == before.why);
    CHECK(after.source == before.source);
    CHECK(after.since == before.since);
    REQUIRE(after.next_due);
    CHECK(after.next_due->seconds() == before.next_due->seconds());
    INFO(bench.screen());
    CHECK(bench.screen().find("the service fails") != std::string::npos);
    CHECK(bench.screen().find("not proven") == std::string::npos);
    bench.world()->faults.clear();
    bench.pass_time(*before.next_due - bench.clock.now() + 1min);
    CHECK(recipes().trouble == sync::Trouble::none);
    CHECK(recipes().why.empty());
    REQUIRE(recipes().as_of);
    CHECK(recipes().as_of->seconds() >= before.next_due->seconds() - 1);
}

TEST_CASE("what a person has mended while no daemon ran is told as over within minutes of the start")
{
    DaemonOptions options;
    options.libraries = {"antwerp"};
    const std::string right = "[resource.recipes]\npath = \"/api/v2/library/recipes/\"\n";
    options.resources = right + "[resource.stock]\npath = \"/api/v2/no/such/list/\"\n";
    DaemonBench bench(options);
    const auto events = [&bench] {
        std::vector<std::string> found;
        for (const auto& call : bench.calls) {
            if (call.text("cause") == "configuration") {
                found.push_back(call.text("event"));
            }
        }
        return found;
    };
    bench.pass_time(2h);
    REQUIRE(events() == std::vector<std::string>{"opened"});
    bench.stop();
    bench.options().resources = right + "[resource.stock]\npath = \"/api/v2/library/ingredients/\"\n";
    bench.write_config();
    bench.start();
    bench.pass_time(5min);
    INFO(bench.screen());
    CHECK(events() == std::vector<std::string>{"opened", "recovered"});
}

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

// One trouble in many libraries, as a person meets it who asks for passes over all of them.
#include "app/troubles/daemon_bench.hpp"
#include "support/catch.hpp"

#include <algorithm>

using namespace shelfd;
using namespace std::chrono_literals;

TEST_CASE("a sync of all libraries says what several of them share in one line")
{
    DaemonOptions options;
    options.world.libraries = 4;
    options.libraries = {"antwerp", "bruges", "ghent", "hasselt"};
    DaemonBench bench(options);
    bench.pass_time(20min);
    // Those of antwerp, bruges and ghent; the first set of each customer is nobody's.
    bench.world()->revoke_set("lib01", 1);
    bench.world()->revoke_set("lib02", 1);
    bench.world()->revoke_set("lib02", 2);
    control::SyncRequest request;
    request.extent = control::Extent::full;
    const auto synced = bench.clock.run(bench.operations().sync(std::move(request), [](const auto&) {}));
    REQUIRE_FALSE(synced);
    const auto& text = synced.error().text();
    INFO(text);
    CHECK(synced.error().kind() == ErrorKind::needs_person);
    CHECK(std::count(text.begin(), text.end(), '\n') == 0);
    CHECK(text.starts_with("antwerp recipes, ingredients; bruges recipes, ingredients; ghent recipes, ingredients: "));
    CHECK(text.find("hasselt") == std::string::npos);
    CHECK(text.find("shelfctl auth import antwerp") != std::string::npos);
    CHECK(text.ends_with(" (for antwerp recipes; for the others see shelfctl status)"));
}

TEST_CASE("a sync of all libraries names a few of many that share a reason, counts them all, and not one in its reason")
{
    DaemonOptions options;
    options.world.libraries = 6;
    options.libraries = {"antwerp", "bruges", "ghent", "hasselt", "leuven", "mechelen"};
    DaemonBench bench(options);
    bench.pass_time(20min);
    bench.world()->revoke_set("lib01", 1);
    for (std::size_t number = 1; number <= 4; ++number) {
        bench.world()->revoke_set("lib02", number);  // all but that of mechelen
    }
    control::SyncRequest request;
    request.extent = control::Extent::full;
    // The second one meets sets that are known to be lost, whose reason begins with the name of the library.
    for (int i = 0; i < 2; ++i) {
        const auto synced = bench.clock.run(bench.operations().sync(request, [](const auto&) {}));
        REQUIRE_FALSE(synced);
        const auto& text = synced.error().text();
        INFO(text);
        CHECK(std::count(text.begin(), text.end(), '\n') == 0);
        CHECK(text.starts_with("antwerp, bruges, ghent and 2 more libraries (10 tables): "));
        CHECK(text.find("antwerp: ") == std::string::npos);
        CHECK(text.find("shelfctl auth import antwerp") != std::string::npos);
    }
}

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

namespace {

sim::Fault at_list(const std::string& list, int status)
{
    sim::Fault fault;
    fault.path = "/api/v2/library/" + list + "/";
    fault.times = std::nullopt;
    fault.acts = false;
    fault.status = status;
    fault.body = R"({"detail":"no"})";
    fault.content_type = "application/json";
    return fault;
}

std::string failures_of_all(DaemonBench& bench)
{
    const auto synced = bench.clock.run(bench.operations().sync(control::SyncRequest(), [](const auto&) {}));
    REQUIRE_FALSE(synced);
    return synced.error().text();
}

}  // namespace

TEST_CASE("a cure that names all tables of one library is said to stand for that library, not for its first table")
{
    DaemonOptions options;
    options.world.libraries = 2;
    options.libraries = {"antwerp", "bruges"};
    DaemonBench bench(options);
    bench.pass_time(20min);
    bench.fail(at_list("recipes", 403));
    bench.fail(at_list("ingredients", 403));
    const auto text = failures_of_all(bench);
    INFO(text);
    CHECK(text.find('\n') == std::string::npos);
    const bool names_library = text.ends_with(" (for antwerp; for the others see shelfctl status)") ||
                               text.ends_with(" (for bruges; for the others see shelfctl status)");
    CHECK(names_library);
}

TEST_CASE("a sync of all libraries gives its reasons in the order of names, whichever pass ends first")
{
    DaemonOptions options;
    options.libraries = {"antwerp"};
    DaemonBench bench(options);
    bench.pass_time(20min);
    bench.fail(at_list("recipes", 403));
    bench.fail(at_list("ingredients", 404));
    const auto text = failures_of_all(bench);
    INFO(text);
    CHECK(text.starts_with("antwerp ingredients: the service has no such list (404)"));
    CHECK(text.find("\nantwerp recipes: the service refuses this list to this token set (403)") != std::string::npos);
}

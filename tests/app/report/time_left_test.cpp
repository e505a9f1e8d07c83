// The time left of passes that share a limit, second by second, as `status` shows it.
#include "app/troubles/daemon_bench.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <map>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

constexpr const char* two_paces = R"([resource.recipes]
path = "/api/v2/library/recipes/"
every = "30m"

[resource.ingredients]
path = "/api/v2/library/ingredients/"
every = "32m"
)";

// What is shown of one pass.
struct Shown {
    std::vector<Duration> left;  // each second
    Duration worst{0};           // by which it grew, at most
    Instant at;                  // when that was
};

// By "LIBRARY TABLE BEGIN": all that is shown while `seconds` pass.
std::map<std::string, Shown> watch(DaemonBench& bench, int seconds)
{
    std::map<std::string, Shown> passes;
    for (int i = 0; i < seconds; ++i) {
        bench.pass_time(1s);
        for (const auto& library : bench.status().libraries) {
            for (const auto& table : library.resources) {
                if (!table.running || !table.running->eta) {
                    continue;
                }
                const auto name = library.name + " " + table.name + " " + table.running->started.to_short_text();
                auto& shown = passes[name];
                if (!shown.left.empty() && *table.running->eta - shown.left.back() > shown.worst) {
                    shown.worst = *table.running->eta - shown.left.back();
                    shown.at = bench.clock.now();
                }
                shown.left.push_back(*table.running->eta);
            }
        }
    }
    return passes;
}

void check_all(const std::map<std::string, Shown>& passes)
{
    for (const auto& [name, shown] : passes) {
        INFO(name << ": " << shown.left.size() << " s, at first " << describe_duration(shown.left.front())
                  << " left, grew at " << shown.at.to_short_text() << " by "
                  << std::chrono::duration<double>(shown.worst).count() << " s");
        CHECK(shown.worst <= Duration(2s));
    }
}

}  // namespace

TEST_CASE("the time left does not grow when the passes of another library and of another table begin in the middle")
{
    DaemonOptions options;
    options.rate_limit = "60/min";
    options.service = "limit_group = \"both\"\n";
    options.resources = two_paces;
    options.world.rows_of["library/recipes"] = 3'000;
    options.world.rows_of["library/ingredients"] = 1'200;
    DaemonBench bench(options);
    bench.pass_time(20min);  // first loads
    REQUIRE(bench.status().libraries[1].resources[1].state == control::State::fresh);
    const auto passes = watch(bench, 30 * 60);
    check_all(passes);
    // Passes over recipes take minutes, and those over ingredients begin two minutes after them.
    const auto longest = std::max_element(passes.begin(), passes.end(), [](const auto& a, const auto& b) {
        return a.second.left.size() < b.second.left.size();
    });
    REQUIRE(longest != passes.end());
    CHECK(longest->first.find("recipes") != std::string::npos);
    CHECK(longest->second.left.size() >= 240);
    // The first estimate was right.
    const auto took = std::chrono::seconds(longest->second.left.size());
    CHECK(longest->second.left.front() <= Duration(took * 5 / 4));
    CHECK(longest->second.left.front() >= Duration(took * 3 / 4));
    CHECK(passes.size() >= 4);
}

TEST_CASE("the time left of a walk at a slow service does not grow between its pages")
{
    DaemonOptions options;
    options.resources = "[resource.recipes]\npath = \"/api/v2/library/recipes/\"\nevery = \"1h\"\n";
    options.libraries = {"antwerp"};
    options.world.rows_of["library/recipes"] = 400;
    options.prepare = [](sim::World& world) {
        sim::Fault slow;
        slow.path = "/api/v2/library/recipes/";
        slow.times = std::nullopt;
        slow.delay = 10s;
        world.faults.add(slow);
    };
    DaemonBench bench(options);
    const auto passes = watch(bench, 400);
    check_all(passes);
    REQUIRE_FALSE(passes.empty());
    CHECK(passes.begin()->second.left.size() >= 20);
}

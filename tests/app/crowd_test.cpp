// Libraries that share the places for walks.
#include "app/library/library_set.hpp"
#include "app/library_bench.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t libraries = 3;

BenchOptions small_lists(std::size_t lists)
{
    BenchOptions options;
    options.world.libraries = libraries;
    options.world.rows = 100;
    options.page_size = 20;
    options.every = 24h;
    options.import_mode = oauth::ImportMode::leave_alone;
    options.resources.clear();
    for (std::size_t i = 0; i < lists; ++i) {
        options.resources.push_back("list" + std::to_string(i));
    }
    options.configure = [](config::Library& library) {
        library.paused = true;  // until begin()
        for (auto& resource : library.resources.own()) {
            resource.path = "/api/v2/library/recipes/";
        }
    };
    return options;
}

// lib01, lib02 and lib03, each with its own set, over one gate.
class Crowd {
public:
    Crowd(std::size_t places, const BenchOptions& options) : bench(options), set(*bench.parts)
    {
        std::vector<config::Library> wanted;
        for (std::size_t i = 0; i < libraries; ++i) {
            wanted.push_back(bench.unit->library());
            wanted.back().name = name(i);
        }
        bench.stop();
        gate = bench.parts->walk_gate = std::make_shared<sync::WalkGate>(bench.clock, places);
        REQUIRE(bench.clock.run(set.open(config::share(wanted))));
        set.start();
        for (std::size_t i = 1; i < libraries; ++i) {
            import_set(i);
        }
        bench.client.answered = [this] { max_working = std::max(max_working, gate->working()); };
        for (auto& library : wanted) {
            library.paused = false;
        }
        wanted_ = std::move(wanted);
    }
    ~Crowd() { bench.clock.run(set.stop()); }

    void begin()
    {
        REQUIRE(bench.clock.run(set.replace(config::share(wanted_))));
        bench.clock.settle();
    }
    static std::string name(std::size_t number) { return "lib0" + std::to_string(number + 1); }
    // Tables that are there.
    long loaded(std::size_t number)
    {
        const auto unit = set.find(name(number));
        return std::count_if(unit->tables().lists().begin(), unit->tables().lists().end(),
                             [](const auto& worker) { return worker->report().summary.as_of.has_value(); });
    }
    void hang(const std::string& library)
    {
        sim::Fault fault;
        fault.path = "/api/v2/library/recipes/";
        fault.library = library;
        fault.delay = 50s;
        fault.times.reset();
        bench.world()->faults.add(fault);
    }

    LibraryBench bench;
    app::LibrarySet set;
    std::shared_ptr<sync::WalkGate> gate;
    std::size_t max_working = 0;

private:
    void import_set(std::size_t number)
    {
        const auto view = bench.world()->view_set(name(number), 0);
        auto pasted = oauth::parse_paste("access_token=" + view.access_token + "\nrefresh_token=" + view.refresh_token +
                                         "\nexpires_in=604800\n");
        REQUIRE(pasted);
        auto& keeper = set.find(name(number))->keeper();
        REQUIRE(bench.clock.run(keeper.import(std::move(*pasted), oauth::ImportMode::leave_alone)));
    }

    std::vector<config::Library> wanted_;
};

}  // namespace

TEST_CASE("libraries that share a single place are all loaded, one walk after the other")
{
    Crowd crowd(1, small_lists(4));
    crowd.begin();
    crowd.bench.pass_time(1min);
    for (std::size_t i = 0; i < libraries; ++i) {
        CHECK(crowd.loaded(i) == 4);
    }
    CHECK(crowd.max_working == 1);
    CHECK(crowd.gate->working() == 0);
    CHECK(crowd.gate->waiting() == 0);
}

TEST_CASE("a library whose service hangs does not hold up the others")
{
    Crowd crowd(1, small_lists(4));
    crowd.hang("lib01");
    crowd.begin();
    crowd.bench.pass_time(30s);
    CHECK(crowd.loaded(0) == 0);
    CHECK(crowd.loaded(1) == 4);
    CHECK(crowd.loaded(2) == 4);
}

TEST_CASE("a table that waits for its place has asked for nothing, and a stop ends its wait")
{
    Crowd crowd(1, small_lists(4));
    crowd.hang("lib01");
    crowd.begin();
    crowd.bench.pass_time(1500ms);
    const auto asked = crowd.bench.client.asked.size();
    CHECK(crowd.gate->waiting() > 0);
    crowd.bench.pass_time(400ms);
    CHECK(crowd.bench.client.asked.size() == asked);
    for (const auto& worker : crowd.set.find("lib03")->tables().lists()) {
        CHECK(worker->report().queued);
        CHECK_FALSE(worker->is_busy());
        CHECK(worker->report().requests == 0);
    }
    crowd.bench.clock.run(crowd.set.stop());
    CHECK(crowd.gate->waiting() == 0);
    CHECK(crowd.gate->working() == 0);
    CHECK_FALSE(crowd.gate->is_oversubscribed());
}

TEST_CASE("in a crowd a walk begins when the limit has room for about all of it, so that none waits in its middle")
{
    auto options = small_lists(12);
    options.requests_per_minute = 60;
    Crowd crowd(2, options);
    crowd.begin();
    // Answers that are under way hold up others for less than a second; a limit that is spent, for most of a minute.
    std::map<std::string, int> seconds;
    int longest = 0;
    for (int second = 0; second < 240; ++second) {
        crowd.bench.pass_time(1s);
        for (const auto& unit : crowd.set.units()) {
            auto& so_far = seconds[unit->library().name];
            so_far = unit->limiter().status().waiting > 0 ? so_far + 1 : 0;
            longest = std::max(longest, so_far);
        }
    }
    CHECK(longest <= 1);
    for (std::size_t i = 0; i < libraries; ++i) {
        CHECK(crowd.loaded(i) == 12);
    }
}

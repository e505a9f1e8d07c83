// What a first load requests at the same time, because somebody waits for it, and what it still waits for.
#include "app/library_bench.hpp"

#include "support/catch.hpp"

#include <filesystem>
#include <vector>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

constexpr const char* canary = "/api/v2/accounts/libraries/current/";
constexpr const char* first_page = "/api/v2/library/recipes/?ordering=-id&page_size=50";

// A library whose mirror was lost: with the next start its list is read as if for the first time.
struct LostMirror : LibraryBench {
    explicit LostMirror(BenchOptions given) : LibraryBench(std::move(given))
    {
        REQUIRE(sync().published);
        stop();
        std::filesystem::remove_all(files / "mirrors/lib01");
        client.way_there = [] { return 100ms; };
        client.before_sending = [this](const std::string& target) {
            targets.push_back(target);
            sent_at.push_back(clock.boot_now());
        };
    }

    static BenchOptions options()
    {
        BenchOptions options;
        options.world.rows = 150;
        options.page_size = 50;
        options.every = 24h;
        return options;
    }

    void load()
    {
        start();
        pass_time(1min);
        REQUIRE(status().state == control::State::fresh);
    }

    // When it was requested, the last time or the first.
    BootTime last(const std::string& target) const
    {
        const auto found = std::find(targets.rbegin(), targets.rend(), target);
        REQUIRE(found != targets.rend());
        return sent_at[static_cast<std::size_t>(targets.rend() - found) - 1];
    }
    BootTime first(const std::string& target) const
    {
        const auto found = std::find(targets.begin(), targets.end(), target);
        REQUIRE(found != targets.end());
        return sent_at[static_cast<std::size_t>(found - targets.begin())];
    }
    auto times(const std::string& target) const { return std::count(targets.begin(), targets.end(), target); }

    std::vector<std::string> targets;
    std::vector<BootTime> sent_at;
};

}  // namespace

TEST_CASE("a first load requests page 1 beside the canary, and asks the canary once more behind the last row")
{
    LostMirror bench(LostMirror::options());
    bench.load();
    CHECK(bench.first(first_page) == bench.first(canary));
    CHECK(bench.last(canary) > bench.last(first_page));
    CHECK(bench.times(first_page) == 2);
    CHECK(bench.times(canary) == 2);
    CHECK(bench.ids() == bench.service_ids());
}

TEST_CASE("rows of a first load are shown only if the canary answers after the last of them")
{
    LostMirror bench(LostMirror::options());
    bench.world()->edit_after("lib01", "library/recipes", 3, {.add_seeded = 1});
    SECTION("it does")
    {
        bench.load();
        CHECK(bench.last(canary) > bench.last(first_page));
        CHECK(bench.ids() == bench.service_ids());
    }
    SECTION("it names another library")
    {
        const auto look = bench.client.before_sending;
        bench.client.before_sending = [&bench, &look](const std::string& target) {
            look(target);
            if (bench.times(canary) == 2) {
                bench.answer_as_another_library();
            }
        };
        bench.start();
        bench.pass_time(1min);
        CHECK(bench.status().state == control::State::wrong_library);
        CHECK(bench.ids().empty());
    }
}

TEST_CASE("a first load whose canary names another library stages nothing, although page 1 was requested beside it")
{
    LostMirror bench(LostMirror::options());
    bench.answer_as_another_library();
    bench.start();
    bench.pass_time(1min);
    CHECK(bench.status().state == control::State::wrong_library);
    CHECK(bench.times(first_page) == 1);
    CHECK(bench.ids().empty());
}

TEST_CASE("while the service is down, a first load requests no page beside the canary that it asks again")
{
    LostMirror bench(LostMirror::options());
    bench.client.refuses = [](const std::string&) { return 503; };
    bench.start();
    bench.pass_time(10min);
    CHECK(bench.times(canary) > 3);
    CHECK(bench.times(first_page) == 1);
}

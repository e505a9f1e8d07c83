#include "app/pace/schedule_need.hpp"

#include "support/catch.hpp"

namespace shelfd::app {
namespace {

using namespace std::chrono_literals;

config::Resource list_of(const std::string& name, Duration every)
{
    config::Resource list;
    list.name = name;
    list.schedule.interval = every;
    return list;
}

config::Library library_of(std::vector<config::Resource> lists)
{
    config::Library library;
    library.service.page_size = 200;
    library.resources = std::move(lists);
    return library;
}

double needed(const config::Library& library, const std::map<std::string, TableDemand>& tables = {},
              bool is_personal = false)
{
    return requests_needed(library, tables, is_personal);
}

constexpr double canary = 1;  // a minute, at most: passes that end within a minute share one

TEST_CASE("a list needs what its last full pass sent, and at least one request")
{
    const auto library = library_of({list_of("recipes", 1min)});
    CHECK(needed(library) == Approx(1 + canary));
    CHECK(needed(library, {{"recipes", {20'000, 101}}}) == Approx(101 + canary));
    // Whatever its length: an array that comes in one answer, or a list of which that is configured.
    CHECK(needed(library, {{"recipes", {20'000, 1}}}) == Approx(1 + canary));
    CHECK(needed(library, {{"recipes", {20'000}}}) == Approx(1 + canary));
}

TEST_CASE("the canary counts as `shelfctl plan` counts it: once a minute at most, with a personal token for each walk")
{
    const auto library = library_of({list_of("recipes", 10s), list_of("stock", 30s)});
    CHECK(needed(library) == Approx(8 + canary));
    CHECK(needed(library, {}, true) == Approx(8 + 16));
    CHECK(needed(library_of({list_of("recipes", 60min)})) == Approx(3.0 / 60));
}

TEST_CASE("a table that waits for somebody needs nothing, and neither does a paused library")
{
    auto library = library_of({list_of("recipes", 1min), list_of("stock", 1min)});
    CHECK(needed(library, {{"stock", {100, 5, true}}}) == Approx(1 + canary));
    library.paused = true;
    CHECK(needed(library) == 0);
}

TEST_CASE("a list by parent needs a request for each parent, or what its last round sent")
{
    auto steps = list_of("steps", 10min);
    steps.parent.emplace();
    steps.parent->resource = "recipes";
    const auto library = library_of({list_of("recipes", 10min), steps});
    const double shared = 2 * 0.2;  // two passes each ten minutes, which ask before and after
    CHECK(needed(library, {{"recipes", {1'000, 6}}}) == Approx(100.6 + shared));
    CHECK(needed(library, {{"recipes", {1'000, 6}}, {"steps", {9'000, 2'010}}}) == Approx(201.6 + shared));
}

TEST_CASE("passes for changes need a request each, and details one for each item within their time")
{
    auto recipes = list_of("recipes", 1min);
    recipes.incremental.emplace();
    recipes.full.emplace();
    recipes.full->interval = 24h;
    recipes.detail.emplace();
    recipes.detail->refresh_within = 100min;
    const double of_changes = 1.0 / 20 + 1.0 / (7 * 24 * 60);
    const double of_full = 2.0 / (24 * 60);
    CHECK(needed(library_of({recipes}), {{"recipes", {5'000}}}) == Approx(1 + of_changes + of_full + 50));
}

TEST_CASE("changes of lists by parent count as whole passes, as they do in a plan")
{
    auto steps = list_of("steps", 10min);
    steps.parent.emplace();
    steps.parent->resource = "recipes";
    steps.incremental.emplace();
    steps.full.emplace();
    steps.full->interval = 24h;
    CHECK(needed(library_of({steps})) == Approx(0.1 + 2 * 0.1));
}

}  // namespace
}  // namespace shelfd::app

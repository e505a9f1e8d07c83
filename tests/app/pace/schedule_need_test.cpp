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

constexpr double canary = 1.0 / 20;  // of passes for changes that find nothing

TEST_CASE("a list needs what its last full pass sent, and at least one request")
{
    const auto library = library_of({list_of("recipes", 1min)});
    CHECK(needed(library) == Approx(1 + canary));
    CHECK(needed(library, {{"recipes", {20'000, 101}}}) == Approx(101 + canary));
    // Whatever its length: an array that comes in one answer, or a list of which that is configured.
    CHECK(needed(library, {{"recipes", {20'000, 1}}}) == Approx(1 + canary));
    CHECK(needed(library, {{"recipes", {20'000}}}) == Approx(1 + canary));
}

TEST_CASE("the canary is asked three times an hour at least, of a personal token before and after each walk")
{
    const auto library = library_of({list_of("recipes", 10s), list_of("stock", 30s)});
    CHECK(needed(library) == Approx(8 + canary));
    CHECK(needed(library, {}, true) == Approx(8 + 16));
    CHECK(needed(library_of({list_of("recipes", 60min)})) == Approx(2.0 / 60));
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
    CHECK(needed(library, {{"recipes", {1'000, 6}}}) == Approx(100.6 + canary));
    CHECK(needed(library, {{"recipes", {1'000, 6}}, {"steps", {9'000, 2'010}}}) == Approx(201.6 + canary));
}

TEST_CASE("passes for changes need a request each, and details one for each item within their time")
{
    auto recipes = list_of("recipes", 1min);
    recipes.incremental.emplace();
    recipes.full.emplace();
    recipes.full->interval = 24h;
    recipes.detail.emplace();
    recipes.detail->refresh_within = 100min;
    CHECK(needed(library_of({recipes}), {{"recipes", {5'000}}}) == Approx(1 + canary + 50));
}

}  // namespace
}  // namespace shelfd::app

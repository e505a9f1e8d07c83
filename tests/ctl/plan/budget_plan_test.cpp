#include "ctl/plan/budget_plan.hpp"
#include "support/catch.hpp"

using namespace std::chrono_literals;

namespace shelfd::ctl {
namespace {

const Instant noon = Instant::from_rfc3339("2026-11-22T12:00:00Z").value();

config::Resource list(std::string name, Duration every)
{
    config::Resource resource;
    resource.name = std::move(name);
    resource.schedule.interval = every;
    return resource;
}

config::Library library(std::string name, std::vector<config::Resource> resources)
{
    config::Library library;
    library.name = std::move(name);
    library.resources = std::move(resources);
    return library;
}

TableSize rows(std::uint64_t count)
{
    return {count, std::nullopt, std::nullopt};
}

TEST_CASE("a list costs its pages and a closing look, as often as its schedule says")
{
    const auto antwerp = library("antwerp", {list("recipes", 10min), list("small", 1min)});
    const auto groups = plan_budget({{&antwerp, {{"recipes", rows(1001)}, {"small", rows(200)}}}}, noon);
    REQUIRE(groups.size() == 1);
    const auto& group = groups.front();
    REQUIRE(group.passes.size() == 2);
    CHECK(group.passes[0].requests == 7.0);  // six pages of 200, one look back
    CHECK(group.passes[0].requests_a_minute() == Approx(0.7));
    CHECK(group.passes[1].requests == 1.0);
    CHECK(group.requests_a_minute == Approx(2.7));  // with a canary a minute, which all passes share
    CHECK(group.all_known);
    CHECK(group.fits());
    CHECK(group.first_load_requests == 10.0);
    CHECK(group.first_load() == Duration(0));
}

TEST_CASE("quiet hours leave out passes at intervals, and leave details less time; planned passes are only moved")
{
    auto recipes = list("recipes", 10min);
    recipes.detail = config::Detail{"url", "", std::chrono::hours(24)};
    auto nightly = list("nightly", 0min);
    nightly.schedule.at = {3h};
    auto antwerp = library("antwerp", {recipes, nightly});
    const auto plain = plan_budget({{&antwerp, {{"recipes", rows(100)}, {"nightly", rows(100)}}}}, noon).front();
    antwerp.service.quiet = {{22h, 6h}, {12h, 16h}};
    const auto group = plan_budget({{&antwerp, {{"recipes", rows(100)}, {"nightly", rows(100)}}}}, noon).front();
    REQUIRE(group.passes.size() == 3);
    CHECK(group.passes[0].awake == Approx(0.5));
    CHECK(group.passes[0].passes_a_minute == Approx(plain.passes[0].passes_a_minute));
    CHECK(group.passes[0].when == "every 10m, not 12:00-16:00, 22:00-06:00");
    CHECK(group.passes[1].kind == PlannedPasses::Kind::detail);
    CHECK(group.passes[1].passes_a_minute == Approx(2 * plain.passes[1].passes_a_minute));
    CHECK(group.passes[2].awake == 1.0);
    CHECK(group.passes[2].when == "at 03:00");
    CHECK(group.quiet.size() == 2);
    CHECK(plain.quiet.empty());
}

TEST_CASE("measured passes count before what rows would say, and lists of unknown length as one page")
{
    const auto antwerp = library("antwerp", {list("recipes", 10min), list("sales", 10min)});
    TableSize measured = rows(1000);
    measured.full_requests = 12;
    const auto group = plan_budget({{&antwerp, {{"recipes", measured}}}}, noon).front();
    CHECK(group.passes[0].requests == 12.0);
    CHECK(group.passes[0].measured);
    CHECK_FALSE(group.passes[1].requests);
    CHECK_FALSE(group.all_known);
    CHECK(group.requests_a_minute == Approx(1.7));
    CHECK(group.passes[1].requests_a_minute() == 0);
    CHECK(group.passes[1].least_a_minute() == Approx(0.1));
}

TEST_CASE("a ledger costs its newest windows by its schedule, those within back by full, and all others by settle")
{
    auto sales = list("sales", 15min);
    sales.window = config::Window{.from = "from", .to = "to", .field = "date", .step = 24h, .since = "2025-11-23"};
    sales.window->back = 14 * 24h;
    sales.full.emplace().interval = 24h;
    const auto with_settle = GENERATE(false, true);
    if (with_settle) {
        sales.settle.emplace().interval = 30 * 24h;
    }
    const auto antwerp = library("antwerp", {sales});
    // 365 windows with 500 rows each: three pages and the closing look.
    const auto group = plan_budget({{&antwerp, {{"sales", rows(365 * 500)}}}}, noon).front();
    REQUIRE(group.passes.size() == (with_settle ? 3 : 2));
    CHECK(group.passes[0].kind == PlannedPasses::Kind::window);
    CHECK(group.passes[0].when == "every 15m");
    CHECK(group.passes[0].requests == Approx(4 * (1 + 1.0 / 12)));  // of two hours a day the day before is walked, too
    CHECK(group.passes[1].kind == PlannedPasses::Kind::full);
    CHECK(group.passes[1].requests == Approx(4 * 14));
    CHECK(group.passes[1].passes_a_minute == Approx(1.0 / (24 * 60)));
    if (with_settle) {
        CHECK(group.passes[2].requests == Approx(4 * (365 - 14 - 1 - 1.0 / 12)));
    }
    CHECK(group.first_load_requests == Approx(4 * 365 + 2));
    const auto unknown = plan_budget({{&antwerp, {}}}, noon).front();
    CHECK_FALSE(unknown.all_known);
    CHECK_FALSE(unknown.passes[0].requests);
}

TEST_CASE("a table with incremental passes costs those, and its full ones at their own times")
{
    auto recipes = list("recipes", 15min);
    recipes.incremental = config::Incremental{"modified_date__gt", "modified_date"};
    recipes.full.emplace().at = {3h + 30min};
    recipes.full->days = Weekdays(0b0011111);
    const auto antwerp = library("antwerp", {recipes});
    const auto group = plan_budget({{&antwerp, {{"recipes", rows(20'000)}}}}, noon).front();
    REQUIRE(group.passes.size() == 2);
    CHECK(group.passes[0].kind == PlannedPasses::Kind::incremental);
    CHECK(group.passes[0].when == "every 15m");
    CHECK(group.passes[0].requests == 1.0);
    CHECK(group.passes[1].when == "at 03:30 on 5 days a week");
    CHECK(group.passes[1].passes_a_minute == Approx(5.0 / (7 * 24 * 60)));
    CHECK(group.passes[1].requests == 101.0);
    CHECK(group.passes[0].passes_a_minute + group.passes[1].passes_a_minute == Approx(1.0 / 15));
}

TEST_CASE("lists by parent cost as many walks as the parent has rows, and nobody knows before it was filled")
{
    auto stock = list("stock", 10min);
    stock.parent = config::Parent{"outlets", "id", "outlet_id", {}, {}};
    auto about = stock;
    about.name = "about";
    about.answers = config::Answers::object;
    auto moves = stock;
    moves.name = "moves";
    moves.incremental = config::Incremental{"modified_date__gt", "modified_date"};
    moves.full.emplace().interval = 24h;
    const auto antwerp = library("antwerp", {list("outlets", 10min), stock, about, moves});
    const std::map<std::string, TableSize> sizes = {
        {"outlets", rows(50)}, {"stock", rows(1000)}, {"moves", rows(50 * 450)}};
    const auto group = plan_budget({{&antwerp, sizes}}, noon).front();
    REQUIRE(group.passes.size() == 5);
    CHECK(group.passes[1].requests == 50.0);
    CHECK(group.passes[2].requests == 50.0);
    CHECK(group.passes[3].kind == PlannedPasses::Kind::incremental);
    CHECK(group.passes[3].requests == 50.0);
    CHECK(group.passes[4].requests == 200.0);  // three pages of each, and a look back
    CHECK(group.all_known);
    const auto unknown = plan_budget({{&antwerp, {}}}, noon).front();
    CHECK_FALSE(unknown.passes[2].requests);
    CHECK_FALSE(unknown.passes[3].requests);
    CHECK_FALSE(unknown.all_known);
}

TEST_CASE("details cost a request an item within the time that is wanted, and starve first")
{
    auto recipes = list("recipes", 24h);
    recipes.detail.emplace().refresh_within = 100min;
    const auto antwerp = library("antwerp", {recipes});
    const auto group = plan_budget({{&antwerp, {{"recipes", rows(20'000)}}}}, noon).front();
    REQUIRE(group.passes.size() == 2);
    CHECK(group.passes[1].kind == PlannedPasses::Kind::detail);
    CHECK(group.passes[1].requests_a_minute() == Approx(200));
    CHECK(group.passes[1].starves);
    CHECK_FALSE(group.passes[0].starves);
    CHECK(group.first_load_requests == 20'103.0);
    CHECK_FALSE(plan_budget({{&antwerp, {}}}, noon).front().all_known);
}

TEST_CASE("old windows and details that are looked at again take turns, and starve together")
{
    auto sales = list("sales", 1h);
    sales.window = config::Window{.from = "from", .to = "to", .field = "date", .step = 24h, .since = "2025-11-23"};
    sales.window->back = 14 * 24h;
    sales.full.emplace().interval = 24h;
    sales.settle.emplace().interval = 24h;
    auto recipes = list("recipes", 24h);
    recipes.detail.emplace().refresh_within = 100min;
    const auto antwerp = library("antwerp", {sales, recipes});
    const auto group = plan_budget({{&antwerp, {{"sales", rows(365)}, {"recipes", rows(20'000)}}}}, noon).front();
    for (const auto& one : group.passes) {
        const bool is_last = one.kind == PlannedPasses::Kind::settle || one.kind == PlannedPasses::Kind::detail;
        CHECK(one.starves == is_last);
    }
}

TEST_CASE("a limit that is too small starves full passes before incremental ones")
{
    auto stock = list("stock", 1min);
    stock.incremental = config::Incremental{"modified_date__gt", "modified_date"};
    stock.full.emplace().interval = 30min;
    const auto antwerp = library("antwerp", {list("recipes", 1min), stock});
    const auto group = plan_budget({{&antwerp, {{"recipes", rows(20'000)}, {"stock", rows(200)}}}}, noon).front();
    CHECK_FALSE(group.fits());
    REQUIRE(group.passes.size() == 3);
    CHECK(group.passes[0].starves);        // recipes, 101 a minute
    CHECK_FALSE(group.passes[1].starves);  // stock, incremental
    CHECK(group.passes[2].starves);        // stock, full
    REQUIRE(group.first_load());
    CHECK(group.first_load() < 2min);
}

TEST_CASE("libraries of one limit group share its limit, paused ones take nothing of it")
{
    auto antwerp = library("antwerp", {list("recipes", 1min)});
    auto ghent = library("ghent", {list("recipes", 1min)});
    auto bruges = library("bruges", {list("recipes", 1min)});
    antwerp.service.limit_group = ghent.service.limit_group = bruges.service.limit_group = "all";
    bruges.paused = true;
    const std::map<std::string, TableSize> sizes = {{"recipes", rows(11'000)}};  // 56 requests
    const auto groups = plan_budget({{&antwerp, sizes}, {&ghent, sizes}, {&bruges, sizes}}, noon);
    REQUIRE(groups.size() == 1);
    CHECK(groups.front().passes.size() == 2);
    CHECK(groups.front().requests_a_minute == Approx(114));
    CHECK_FALSE(groups.front().fits());
    ghent.service.limit_group.clear();
    const auto apart = plan_budget({{&antwerp, sizes}, {&ghent, sizes}}, noon);
    REQUIRE(apart.size() == 2);
    CHECK(apart[0].fits());
    CHECK(apart[1].fits());
}

TEST_CASE("asking whose token it is costs no more than the passes that share the answer")
{
    auto antwerp = library("antwerp", {list("a", 1h), list("b", 10s), list("c", 10s)});
    // Without an identity a list stands in for it.
    CHECK(plan_budget({{&antwerp, {}}}, noon).front().canaries_a_minute == Approx(1));
    antwerp.service.identity = config::Identity{"/me/", "id"};
    CHECK(plan_budget({{&antwerp, {}}}, noon).front().canaries_a_minute == Approx(1));
    antwerp.resources.own().resize(1);
    CHECK(plan_budget({{&antwerp, {}}}, noon).front().canaries_a_minute == Approx(2.0 / 60));
}

TEST_CASE("of a personal token every pass asks before and behind it whose it is and none shares the answer")
{
    std::vector<config::Resource> lists;
    std::map<std::string, TableSize> sizes;
    for (int number = 0; number < 20; ++number) {
        auto& one = lists.emplace_back(list("list" + std::to_string(number), 30s));
        one.incremental = config::Incremental{"modified_date__gt", "modified_date"};
        one.full.emplace().interval = 24h;
        sizes[one.name] = rows(10);
    }
    auto antwerp = library("antwerp", lists);
    antwerp.service.identity = config::Identity{"/me/", "id"};
    const auto shared = plan_budget({{&antwerp, sizes}}, noon).front();
    CHECK(shared.canaries_a_minute == Approx(0.05 + 20.0 / (7 * 24 * 60) + 2 * 20.0 / (24 * 60)));
    CHECK(shared.first_load_requests == 22.0);
    CHECK(shared.fits());
    antwerp.application.token_kind = config::TokenKind::personal;
    const auto personal = plan_budget({{&antwerp, sizes}}, noon).front();
    CHECK(personal.canaries_a_minute == Approx(80));
    CHECK(personal.requests_a_minute == Approx(40 + 80));
    CHECK(personal.first_load_requests == 60.0);
    CHECK_FALSE(personal.fits());
}

TEST_CASE("walks over windows share what was asked a minute ago as full passes do unless the token is personal")
{
    auto sales = list("sales", 1min);
    sales.window = config::Window{.from = "from", .to = "to", .field = "date", .step = 24h, .since = "2025-11-23"};
    sales.window->back = 14 * 24h;
    sales.full.emplace().interval = 24h;
    auto antwerp = library("antwerp", {sales});
    antwerp.service.identity = config::Identity{"/me/", "id"};
    const std::map<std::string, TableSize> sizes = {{"sales", rows(365)}};
    CHECK(plan_budget({{&antwerp, sizes}}, noon).front().canaries_a_minute == Approx(1));
    antwerp.resources.own().front().schedule.interval = 1h;
    CHECK(plan_budget({{&antwerp, sizes}}, noon).front().canaries_a_minute == Approx(2.0 / 60 + 2.0 / (24 * 60)));
    antwerp.application.token_kind = config::TokenKind::personal;
    const auto personal = plan_budget({{&antwerp, sizes}}, noon).front();
    // Each of the fourteen days by itself, and of two hours a day the day before as well.
    CHECK(personal.canaries_a_minute == Approx(2 * (1 + 1.0 / 12) / 60 + 2 * 14.0 / (24 * 60)));
    CHECK(personal.first_load_requests == Approx(3 * 365));
}

TEST_CASE("without a limit everything fits, however long it takes")
{
    auto antwerp = library("antwerp", {list("recipes", 1s)});
    antwerp.service.requests_per_minute.reset();
    const auto group = plan_budget({{&antwerp, {{"recipes", rows(1'000'000)}}}}, noon).front();
    CHECK(group.fits());
    CHECK_FALSE(group.first_load());
    CHECK_FALSE(group.passes.front().starves);
}

}  // namespace
}  // namespace shelfd::ctl

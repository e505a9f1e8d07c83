// Without `identity`: the list that shows whether the token works is no longer readable.
#include "app/library_bench.hpp"

#include "http/url.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

constexpr const char* no_list = "no list shows now whether the token works";

// What the canary asks for: one row.
bool is_canary(const std::string& target)
{
    const auto params = http::parse_query(target.substr(std::min(target.find('?'), target.size() - 1) + 1));
    return std::any_of(params.begin(), params.end(),
                       [](const auto& one) { return one.name == "page_size" && one.value == "1"; });
}

struct Kind {
    const char* name;
    BenchOptions options;
    std::string table;  // to which the service adds a row
    std::string list;   // its list
};

BenchOptions plain()
{
    BenchOptions options;
    options.world.rows = 50;
    options.page_size = 20;
    options.every = 24h;
    options.has_identity = false;
    options.resources = {"ingredients", "recipes"};
    return options;
}

std::string yesterday(const BenchOptions& options)
{
    return (LibraryBench::beginning(options) - Duration(24h)).to_text().substr(0, 10);
}

Kind ledger()
{
    auto options = plain();
    options.family = "sales";
    options.resources = {"lines"};
    options.ordering = "";
    options.hour = 12;
    options.window = config::Window{.from = "date__gte",
                                    .to = "date__lt",
                                    .field = "date",
                                    .step = 24h,
                                    .since = yesterday(options),
                                    .timezone = "UTC",
                                    .back = 48h};
    options.world.rows_of["sales/lines"] = 0;
    options.configure = [](config::Library& library) {
        auto list = library.resources.own().front();
        list.name = "ingredients";
        list.path = "/api/v2/library/ingredients/";
        list.window.reset();
        list.full.reset();
        library.resources.own().insert(library.resources.own().begin(), list);
    };
    return {"windows", std::move(options), "lines", "sales/lines"};
}

std::vector<Kind> kinds()
{
    std::vector<Kind> all;
    all.push_back({"full", plain(), "recipes", "library/recipes"});
    auto changes = plain();
    changes.incremental =
        config::Incremental{"modified_date__gt", "modified_date", config::Incremental::Format::datetime, 1h};
    all.push_back({"what changed", changes, "recipes", "library/recipes"});
    all.push_back(ledger());
    auto stock = plain();
    stock.family = "inventory";
    stock.resources = {"stock", "outlets"};
    stock.parent = config::Parent{"outlets", "id", "outlet_id", {}, {}};
    stock.world.rows_of["inventory/outlets"] = 3;
    stock.ordering = "";
    all.push_back({"lists by parent", stock, "stock", ""});
    return all;
}

void add_row(LibraryBench& bench, const Kind& kind)
{
    auto list = kind.list;
    if (list.empty()) {
        list = fmt::format("inventory/outlets/{}/stock", bench.service_ids("inventory/outlets").front());
    }
    const auto today = bench.clock.now().to_text().substr(0, 10);
    bench.world()->edit("lib01", list,
                        {.add = {*sim::parse_json(fmt::format(R"({{"name":"new","date":"{}"}})", today))}});
}

std::string rows(const LibraryBench& bench, const Kind& kind)
{
    return bench.query("SELECT count(*) FROM " + kind.table);
}

std::string identity_trouble(LibraryBench& bench)
{
    return app::report_library(*bench.unit, bench.clock.now()).identity_trouble;
}

}  // namespace

TEST_CASE("where the list that vouched is refused and none takes its place, no pass shows new rows as ours")
{
    const bool is_asked_first = GENERATE(false, true);
    const int status = GENERATE(403, 404);
    for (const auto& kind : kinds()) {
        INFO(kind.name << ", " << status << (is_asked_first ? ", before the first page" : ", after the last page"));
        LibraryBench bench(kind.options);
        bench.pass_time(5min);
        if (kind.list == "sales/lines") {
            add_row(bench, kind);
        }
        REQUIRE(bench.sync(kind.table).published);
        REQUIRE(identity_trouble(bench).empty());
        const auto before = rows(bench, kind);
        REQUIRE(before != "0");
        const auto changes = bench.query("SELECT count(*) FROM _changes");
        if (is_asked_first) {
            bench.pass_time(2h);
        }
        add_row(bench, kind);
        bench.client.refuses = [status](const std::string& target) {
            return is_canary(target) ? std::optional(status) : std::nullopt;
        };
        const auto report = bench.sync(kind.table);
        CHECK_FALSE(report.published);
        CHECK(report.trouble == sync::Trouble::passing);
        INFO(report.why);
        CHECK(report.why.find(no_list) != std::string::npos);
        CHECK(rows(bench, kind) == before);
        CHECK(bench.query("SELECT count(*) FROM _changes") == changes);
        CHECK(identity_trouble(bench).find("the library is not verified") == 0);
        // Those who begin without anybody to ask show what they read, and status says so.
        CHECK(bench.sync(kind.table).published);
        CHECK(rows(bench, kind) != before);
        CHECK(identity_trouble(bench).find("the library is not verified") == 0);
    }
}

TEST_CASE("where the list that vouched is refused another one takes its place at once, and new rows are shown")
{
    auto options = plain();
    LibraryBench bench(options);
    bench.pass_time(1min);
    REQUIRE(bench.sync("recipes").published);
    REQUIRE(bench.query("SELECT canary FROM _resources WHERE resource = 'ingredients'") == "fit");
    bench.client.refuses = [](const std::string& target) {
        return target.find("ingredients") != std::string::npos ? std::optional(403) : std::nullopt;
    };
    bench.world()->edit("lib01", "library/recipes", {.add_seeded = 1});
    const auto report = bench.sync("recipes");
    REQUIRE(report.published);
    CHECK(report.published->added == 1);
    CHECK(bench.query("SELECT canary FROM _resources WHERE resource = 'recipes'") == "fit");
    // The refused one, a wrong token to it, and the other one with a wrong token and ours.
    CHECK(report.spent.of(budget::Reason::canary) <= 4);
    CHECK(identity_trouble(bench).empty());
    bench.pass_time(1min);
    bench.world()->edit("lib01", "library/recipes", {.add_seeded = 1});
    CHECK(bench.sync("recipes").spent.of(budget::Reason::canary) <= 2);  // around the pass
}

TEST_CASE("while nobody can say whether another list vouches, the pass waits and then shows its rows")
{
    LibraryBench bench(plain());
    bench.pass_time(1min);
    REQUIRE(bench.sync("recipes").published);
    int refusals = 0;
    bench.client.refuses = [&refusals](const std::string& target) -> std::optional<int> {
        if (target.find("ingredients") != std::string::npos) {
            return 403;
        }
        return is_canary(target) && refusals++ < 2 ? std::optional(502) : std::nullopt;
    };
    bench.world()->edit("lib01", "library/recipes", {.add_seeded = 1});
    const auto report = bench.sync("recipes");
    REQUIRE(report.published);
    CHECK(report.published->added == 1);
    CHECK(refusals > 2);
}

TEST_CASE("where the list that vouched is refused and none takes its place, no detail is shown as ours")
{
    auto options = plain();
    options.detail = config::Detail{"url", "", 24h * 30};
    LibraryBench bench(options);
    bench.pass_time(10min);
    REQUIRE(bench.query("SELECT count(*) FROM recipes_detail") == "50");
    bench.world()->edit("lib01", "library/recipes", {.add_seeded = 1});
    bool is_refused = false;
    bench.client.refuses = [&](const std::string& target) -> std::optional<int> {
        // The list's own pass was vouched for.
        if (!is_canary(target) || bench.query("SELECT count(*) FROM recipes") == "50") {
            return std::nullopt;
        }
        is_refused = true;
        return 403;
    };
    REQUIRE(bench.sync("recipes").published);
    while (identity_trouble(bench).empty()) {
        REQUIRE(bench.clock.advance_to_next());
    }
    CHECK(is_refused);
    bench.clock.settle();
    CHECK(bench.query("SELECT count(*) FROM recipes_detail") == "50");
    // The next turn begins without anybody to ask.
    bench.pass_time(2h);
    CHECK(bench.query("SELECT count(*) FROM recipes_detail") == "51");
}

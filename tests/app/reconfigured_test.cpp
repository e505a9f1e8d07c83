// A configuration that changes while a mirror is there: what was learned before is used where it still holds.
#include "app/library_bench.hpp"

#include "support/catch.hpp"
#include "support/json_tree.hpp"

#include <fmt/format.h>

#include <algorithm>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

config::Incremental changes_by(const std::string& param)
{
    return {param, "modified_date", config::Incremental::Format::datetime, 5min};
}

BenchOptions incremental()
{
    BenchOptions options;
    options.world.rows_of = {{"library/recipes", 50}, {"library/ingredients", 70}};
    options.page_size = 20;
    options.ordering = "";
    options.incremental = changes_by("modified_date__gt");
    return options;
}

// As `shelfctl reload` does with a library that was changed.
void reload(LibraryBench& bench, const std::function<void(BenchOptions&)>& change)
{
    bench.stop();
    change(bench.options());
    bench.start();
}

std::size_t requests_to(const LibraryBench& bench, const std::string& part)
{
    return static_cast<std::size_t>(
        std::count_if(bench.client.asked.begin(), bench.client.asked.end(),
                      [&](const std::string& target) { return target.find(part) != std::string::npos; }));
}

const sync::PassReport& last_pass(const LibraryBench& bench)
{
    return *bench.unit->tables().lists().front()->report().last_pass;
}

void walk_another_list(config::Library& library)
{
    library.resources.own().front().path = "/api/v2/library/ingredients/";
}

void add_a_parameter(config::Library& library)
{
    library.resources.own().front().params["expand"] = "all";
}

}  // namespace

TEST_CASE("a list that another path or other parameters name is walked whole at once, and nothing is fresh before")
{
    LibraryBench bench(incremental());
    bench.pass_time(1min);
    REQUIRE(bench.sync().kind == sync::PassKind::incremental);
    const bool path = GENERATE(true, false);
    INFO((path ? "another path" : "other parameters"));
    reload(bench, [&](BenchOptions& options) { options.configure = path ? walk_another_list : add_a_parameter; });
    CHECK(bench.query("SELECT state FROM freshness") == "filling");
    CHECK(bench.query("SELECT proven_as_of IS NULL AND rows = 50 FROM freshness") == "1");
    CHECK(std::any_of(bench.log_lines.begin(), bench.log_lines.end(), [](const std::string& line) {
        return line.find("recipes mirrors another list than before") != std::string::npos;
    }));
    bench.pass_time(1min);
    CHECK(last_pass(bench).kind == sync::PassKind::full);
    CHECK(last_pass(bench).proof.kind == sync::ProofKind::newest_first);
    CHECK(bench.query("SELECT state FROM freshness") == "fresh");
    const auto wanted = bench.service_rows(path ? "library/ingredients" : "library/recipes");
    const auto mirrored = bench.mirror_rows();
    REQUIRE(mirrored.size() == wanted.size());
    for (const auto& [id, item] : wanted) {
        CHECK(equal_items(mirrored.at(id), item));
    }
    CHECK(bench.sync().kind == sync::PassKind::incremental);
}

TEST_CASE("a scope that a list needs from now on, and the set lacks, is told at once and costs no request")
{
    auto options = incremental();
    options.every = 1h;
    LibraryBench bench(options);
    bench.pass_time(1min);
    REQUIRE(bench.status().state == control::State::fresh);
    const auto asked = requests_to(bench, "/api/v2/library/");
    reload(bench, [](BenchOptions& given) { given.needs = "payroll"; });
    bench.pass_time(1s);
    CHECK(bench.status().state == control::State::forbidden);
    CHECK(bench.status().do_this.find("scope payroll") != std::string::npos);
    CHECK(requests_to(bench, "/api/v2/library/") == asked);
    reload(bench, [](BenchOptions& given) { given.needs = "library"; });
    bench.pass_time(1min);
    CHECK(bench.status().state == control::State::fresh);
}

TEST_CASE("a scope that is no longer missing is not shown any more while the pass waits for the limit")
{
    auto options = incremental();
    options.every = 1h;
    LibraryBench bench(options);
    bench.pass_time(1min);
    reload(bench, [](BenchOptions& given) { given.needs = "payroll"; });
    bench.pass_time(1s);
    REQUIRE(bench.status().state == control::State::forbidden);
    const std::string needs = GENERATE("", "library");
    INFO("needs " << needs);
    reload(bench, [&needs](BenchOptions& given) {
        given.needs = needs;
        given.requests_per_minute = 1;
    });
    const auto passes = bench.unit->tables().lists().front()->report().passes_ended;
    bench.pass_time(1s);
    CHECK(bench.unit->tables().lists().front()->report().passes_ended == passes);
    CHECK(bench.status().state == control::State::fresh);
    CHECK(bench.status().why.empty());
    CHECK(bench.status().do_this.empty());
}

TEST_CASE("a missing scope is told at once in quiet hours, too, and no longer once a set has it")
{
    auto options = incremental();
    options.hour = 20;
    options.configure = [](config::Library& library) { library.service.quiet = {{22h, 6h}}; };
    LibraryBench bench(options);
    bench.pass_time(3h);
    REQUIRE(bench.status().state == control::State::fresh);
    const auto asked = bench.client.asked.size();
    reload(bench, [](BenchOptions& given) { given.needs = "payroll"; });
    bench.pass_time(1s);
    auto status = bench.status();
    CHECK(status.state == control::State::forbidden);
    CHECK(status.why.find("the token set lacks the scope payroll, so no request was sent; it has: ") == 0);
    CHECK(status.do_this.find("scope payroll") != std::string::npos);
    CHECK(bench.query("SELECT state FROM freshness WHERE resource = 'recipes'") == "forbidden");
    reload(bench, [](BenchOptions&) {});  // what is known then is what the mirror says
    bench.pass_time(1s);
    status = bench.status();
    CHECK(status.state == control::State::forbidden);
    CHECK(status.trouble == Trouble::forbidden);
    CHECK(status.do_this.find("scope payroll") != std::string::npos);
    reload(bench, [](BenchOptions& given) { given.needs = "library"; });
    bench.pass_time(1s);
    status = bench.status();
    CHECK(status.state == control::State::fresh);
    CHECK(status.why.empty());
    CHECK(bench.query("SELECT state FROM freshness WHERE resource = 'recipes'") == "fresh");
    CHECK(bench.client.asked.size() == asked);
    reload(bench, [](BenchOptions& given) { given.needs = "payroll"; });
    bench.pass_time(1s);
    REQUIRE(bench.status().state == control::State::forbidden);
    reload(bench, [](BenchOptions& given) { given.needs.clear(); });
    bench.pass_time(1s);
    CHECK(bench.status().state == control::State::fresh);
    bench.pass_time(8h);
    CHECK(bench.client.asked.size() > asked);
}

TEST_CASE("who asks for a pass while a missing scope is being recorded does not wait until somebody wakes the table")
{
    auto options = incremental();
    options.hour = 20;
    options.configure = [](config::Library& library) { library.service.quiet = {{22h, 6h}}; };
    LibraryBench bench(options);
    bench.pass_time(3h);
    bench.stop();
    bench.options().needs = "payroll";
    bool has_asked = false;
    bench.parts->changed = [&] {
        if (has_asked || !bench.unit || !bench.unit->has_tables()) {
            return;
        }
        auto& table = *bench.unit->tables().lists().front();
        if (table.report().trouble == Trouble::forbidden) {
            has_asked = true;
            table.request_pass();
        }
    };
    bench.start();
    bench.pass_time(1s);
    bench.parts->changed = [] {};
    REQUIRE(has_asked);
    CHECK(bench.unit->tables().lists().front()->report().passes_ended == 1);
}

TEST_CASE("a library that comes to another limit group brings its last minute along")
{
    BenchOptions options;
    options.world.rows_of["library/recipes"] = 6'000;
    options.page_size = 10;
    options.requests_per_minute = 100;
    LibraryBench bench(options);
    std::vector<std::size_t> sent;  // in all, by the second
    const auto pass_seconds = [&](int seconds) {
        for (int second = 0; second < seconds; ++second) {
            bench.pass_time(1s);
            sent.push_back(requests_to(bench, "/api/"));
        }
    };
    pass_seconds(20);
    for (const auto* group : {"elsewhere", "lib01", "elsewhere"}) {  // a new one, and those it was in before
        INFO(group);
        reload(bench, [group](BenchOptions& given) {
            given.configure = [group](config::Library& library) { library.service.limit_group = group; };
        });
        pass_seconds(85);
    }
    std::size_t most = 0;
    for (std::size_t second = 59; second < sent.size(); ++second) {
        most = std::max(most, sent[second] - sent[second - 59]);
    }
    CHECK(most <= 100);
    bench.pass_time(10min);
    CHECK(bench.query("SELECT count(*) FROM recipes") == "6000");
}

TEST_CASE("a list that is walked whole each day is walked at once when another one is asked for")
{
    auto options = incremental();
    options.incremental.reset();
    options.every = 24h;
    LibraryBench bench(options);
    bench.pass_time(10min);
    reload(bench, [](BenchOptions& now) { now.configure = walk_another_list; });
    bench.pass_time(2min);
    CHECK(bench.query("SELECT state FROM freshness") == "fresh");
    CHECK(bench.ids() == bench.service_ids("library/ingredients"));
}

TEST_CASE("a reload that asks for the same list forgets nothing of it")
{
    LibraryBench bench(incremental());
    bench.pass_time(1min);
    REQUIRE(bench.sync().kind == sync::PassKind::incremental);
    const auto proven = bench.query("SELECT proven_as_of FROM freshness");
    const auto tries = requests_to(bench, "page_size=1");
    reload(bench, [](BenchOptions& options) { options.every = 10min; });
    CHECK(bench.query("SELECT proven_as_of FROM freshness") == proven);
    CHECK(bench.sync().kind == sync::PassKind::incremental);
    CHECK(requests_to(bench, "page_size=1") == tries);
}

TEST_CASE("another filter is tried before it is relied on, whatever the one before it did")
{
    LibraryBench bench(incremental());
    bench.pass_time(1min);
    REQUIRE(bench.sync().kind == sync::PassKind::incremental);
    reload(bench, [](BenchOptions& options) { options.incremental = changes_by("changed_since"); });
    CHECK(bench.sync().kind == sync::PassKind::full);
    CHECK(bench.status().why.find("ignores the filter changed_since") != std::string::npos);
    CHECK(bench.status().state == control::State::fresh);

    reload(bench, [](BenchOptions& options) { options.incremental = changes_by("modified_date__gte"); });
    CHECK(bench.sync().kind == sync::PassKind::incremental);
    CHECK(bench.status().why.empty());
}

TEST_CASE("a filter that is added to a live list of several pages is tried with the next pass")
{
    auto options = incremental();
    options.incremental.reset();
    LibraryBench bench(options);
    bench.pass_time(1min);
    REQUIRE(bench.sync().pages == 3);
    reload(bench, [](BenchOptions& now) { now.incremental = changes_by("modified_date__gt"); });
    const auto pass = bench.sync();
    CHECK(pass.kind == sync::PassKind::incremental);
    CHECK(pass.spent.of(budget::Reason::filter_try) == 1);
    CHECK(bench.sync().spent.of(budget::Reason::filter_try) == 0);
    CHECK(bench.query("SELECT filter FROM _resources") == "obeyed");
}

TEST_CASE("every window of a ledger is walked again once another list is asked for")
{
    BenchOptions options;
    options.family = "sales";
    options.resources = {"lines"};
    options.world.rows_of["sales/lines"] = 0;
    options.hour = 12;
    options.every = 1h;
    options.ordering = "";
    const auto day = [&](int age) { return (LibraryBench::beginning(options) - age * 24h).to_text().substr(0, 10); };
    options.window = config::Window{.from = "date__gte",
                                    .to = "date__lt",
                                    .field = "date",
                                    .step = 24h * 7,
                                    .since = day(40),
                                    .timezone = "Europe/Brussels",
                                    .back = 24h * 14};
    options.prepare = [&day](sim::World& world) {
        sim::Edit edit;
        for (int age = 39; age >= 0; --age) {
            edit.add.push_back(*sim::parse_json(fmt::format(R"({{"date":"{}"}})", day(age))));
        }
        world.edit("lib01", "sales/lines", edit);
    };
    LibraryBench bench(options);
    bench.pass_time(1h);
    REQUIRE(bench.query("SELECT state || rows FROM freshness") == "fresh40");
    reload(bench, [](BenchOptions& now) { now.configure = add_a_parameter; });
    CHECK(bench.query("SELECT state || rows FROM freshness") == "filling40");
    bench.pass_time(1h);
    CHECK(bench.query("SELECT state || rows FROM freshness") == "fresh40");
    CHECK(requests_to(bench, "date__gte=" + day(40) + "&date__lt=" + day(33) + "&expand=all") == 1);
}

TEST_CASE("every list by parent is walked whole once others are asked for")
{
    BenchOptions options;
    options.family = "inventory";
    options.resources = {"outlets", "stock"};
    options.parent = config::Parent{"outlets", "id", "outlet_id", {}, {}};
    options.world.rows_of["inventory/outlets"] = 3;
    options.every = 1h;
    LibraryBench bench(options);
    bench.pass_time(2min);
    const auto rows = bench.query("SELECT count(*) FROM stock");
    REQUIRE(bench.query("SELECT count(*) FROM _slices WHERE resource = 'stock' AND whole_at IS NOT NULL") == "3");
    reload(bench, [](BenchOptions& now) {
        now.configure = [](config::Library& library) { library.resources.own()[1].params["expand"] = "all"; };
    });
    CHECK(bench.query("SELECT count(*) FROM _slices WHERE resource = 'stock' AND whole_at IS NOT NULL") == "0");
    CHECK(bench.query("SELECT proven_as_of IS NULL FROM freshness WHERE resource = 'stock'") == "1");
    bench.pass_time(5min);
    // Three lists, and three questions where lists that nothing is known of end.
    CHECK(requests_to(bench, "/stock/?expand=all") == 6);
    CHECK(bench.query("SELECT count(*) FROM _slices WHERE resource = 'stock' AND whole_at IS NOT NULL") == "3");
    CHECK(bench.query("SELECT count(*) FROM stock") == rows);
    bench.pass_time(2h);
    CHECK(bench.query("SELECT state FROM freshness WHERE resource = 'stock'") == "fresh");
    CHECK(bench.query("SELECT proven_as_of IS NOT NULL FROM freshness WHERE resource = 'stock'") == "1");
}

TEST_CASE("details from another address are asked for again, and the old ones stay until they come")
{
    BenchOptions options;
    options.world.rows_of["library/recipes"] = 20;
    options.detail = config::Detail{"url", "", 7 * 24h};
    LibraryBench bench(options);
    bench.pass_time(30min);
    REQUIRE(bench.query("SELECT detail_share || detail_pending FROM freshness WHERE resource = 'recipes'") == "1.00");
    const auto before = requests_to(bench, "/api/v2/library/recipes/7/");
    reload(bench, [](BenchOptions& now) { now.detail = config::Detail{"", "/api/v2/library/recipes/{id}/", 7 * 24h}; });
    CHECK(bench.ids("recipes_detail").size() == 20);
    bench.pass_time(30min);
    CHECK(requests_to(bench, "/api/v2/library/recipes/7/") == before + 1);
    CHECK(bench.query("SELECT detail_share || detail_pending FROM freshness WHERE resource = 'recipes'") == "1.00");
}

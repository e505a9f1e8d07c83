// Lists by parent: the stock of each outlet.
#include "app/library_bench.hpp"

#include "runtime/async/deadline.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

constexpr const char* not_found = R"({"detail":"Not found."})";

struct StockBench : LibraryBench {
    explicit StockBench(std::size_t outlets = 3) : LibraryBench(options(outlets)) { pass_time(1min); }
    explicit StockBench(BenchOptions given) : LibraryBench(std::move(given)) { pass_time(1min); }

    static BenchOptions options(std::size_t outlets = 3)
    {
        BenchOptions options;
        options.family = "inventory";
        options.every = 1h;
        // The child first: order of the configuration is no order of passes.
        options.resources = {"stock", "outlets"};
        options.parent = config::Parent{"outlets", "id", "outlet_id", {}, {}};
        options.world.rows_of["inventory/outlets"] = outlets;
        options.ordering = "";
        return options;
    }

    static std::string list(std::int64_t outlet, const std::string& name = "stock")
    {
        return fmt::format("inventory/outlets/{}/{}", outlet, name);
    }
    std::string rows(const std::string& table = "stock") const { return query("SELECT count(*) FROM " + table); }
    std::string state() const { return query("SELECT state FROM freshness WHERE resource = 'stock'"); }
    std::string why() const { return query("SELECT why FROM freshness WHERE resource = 'stock'"); }
    void answer(const std::string& path, int status, const std::string& body,
                std::optional<std::size_t> times = std::nullopt)
    {
        sim::Fault fault;
        fault.path = "/api/v2/" + path + "/";
        fault.times = times;
        fault.acts = false;
        fault.status = status;
        fault.body = body;
        fault.content_type = body.starts_with("{") ? "application/json" : "text/html";
        world()->faults.add(fault);
    }
    sync::Trouble trouble() const
    {
        for (const auto& worker : unit->tables().lists()) {
            if (worker->name() == "stock") {
                return worker->report().trouble;
            }
        }
        return sync::Trouble::none;
    }
    // Not a walk's own first page: what was asked to learn where such lists end.
    static bool is_question(const std::string& target)
    {
        const bool is_first = target.find("&page=") == std::string::npos && target.find("offset=") == std::string::npos;
        return target.find("/stock/") != std::string::npos &&
               !(is_first && target.find("ordering=-id") != std::string::npos);
    }
    // Requests for lists of that name since `from`, by outlet, in their order, questions left out.
    std::vector<std::int64_t> asked_for(std::size_t from = 0, const std::string& name = "/stock/") const
    {
        std::vector<std::int64_t> outlets;
        for (std::size_t i = from; i < client.asked.size(); ++i) {
            if (client.asked[i].find(name) != std::string::npos && !is_question(client.asked[i])) {
                outlets.push_back(std::stoll(client.asked[i].substr(client.asked[i].find("outlets/") + 8)));
            }
        }
        return outlets;
    }
    bool is_same(const std::string& table = "stock")
    {
        for (const auto outlet : service_ids("inventory/outlets")) {
            const auto mine = query(fmt::format(
                "SELECT group_concat(id) FROM (SELECT id FROM {} WHERE outlet_id = {} ORDER BY id)", table, outlet));
            std::string theirs;
            for (const auto id : service_ids(list(outlet, table))) {
                theirs += fmt::format("{}{}", theirs.empty() ? "" : ",", id);
            }
            if (mine != theirs) {
                UNSCOPED_INFO(table << " of outlet " << outlet << ": " << mine << " instead of " << theirs);
                return false;
            }
        }
        const auto outlets = service_ids("inventory/outlets");
        return query(fmt::format("SELECT count(DISTINCT outlet_id) <= {} FROM {}", outlets.size(), table)) == "1";
    }
};

TEST_CASE("a list by parent that lacks a scope is forbidden, as its parents are, and does not wait for them")
{
    auto options = StockBench::options(5);
    options.needs = "payroll";
    StockBench bench(std::move(options));
    bench.pass_time(30min);
    CHECK(bench.asked_for().empty());
    for (const auto* table : {"outlets", "stock"}) {
        INFO(table);
        const auto status = bench.status(table);
        CHECK(status.state == control::State::forbidden);
        CHECK(status.trouble == Trouble::forbidden);
        CHECK(status.why.find("the token set lacks the scope payroll, so no request was sent") == 0);
        CHECK(status.do_this.find("scope payroll") != std::string::npos);
    }
}

// Forty outlets, one for each of the last forty days, walked as a ledger.
BenchOptions outlets_by_day()
{
    auto options = StockBench::options(40);
    options.hour = 12;
    options.requests_per_minute = 20;
    const auto noon = LibraryBench::beginning(options);
    options.prepare = [noon](sim::World& world) {
        sim::Edit edit;
        for (int id = 1; id <= 40; ++id) {
            edit.change.push_back(*sim::parse_json(
                fmt::format(R"({{"id":{},"created_date":"{}"}})", id, (noon - 1h - (40 - id) * 24h).to_text())));
        }
        world.edit("lib01", "inventory/outlets", edit);
    };
    options.configure = [noon](config::Library& library) {
        auto& outlets = library.resources.own().back();
        outlets.window = config::Window{.from = "created_date__gte",
                                        .to = "created_date__lt",
                                        .field = "created_date",
                                        .step = 24h,
                                        .since = (noon - 40 * 24h).to_text().substr(0, 10),
                                        .timezone = "UTC",
                                        .back = 14 * 24h};
        outlets.full.emplace().interval = 24h;
    };
    return options;
}

}  // namespace

TEST_CASE("where answers take long, the lists of several parents are asked for at once, and each once")
{
    auto options = StockBench::options(60);
    options.prepare = [](sim::World& world) { world.edit("lib01", StockBench::list(7), {.add_seeded = 500}); };
    StockBench bench(std::move(options));
    bench.client.way_there = [] { return 1500ms; };
    const auto before = bench.client.asked.size();
    const auto began = bench.clock.now();
    bench.sync("stock", sync::Wanted::full_by_person);
    // One after the other they would take 90 s.
    CHECK(bench.clock.now() - began < 45s);
    auto asked = bench.asked_for(before);
    std::sort(asked.begin(), asked.end());
    CHECK(std::unique(asked.begin(), asked.end()) - asked.begin() == 60);
    CHECK(asked.size() <= 60 + 4 + 7);  // the pages of the long one, and what had been asked for behind it
    CHECK(bench.is_same());
    CHECK(bench.state() == "fresh");
}

TEST_CASE("lists of a personal token are asked for one by one, between two looks at whose it is")
{
    auto options = StockBench::options(6);
    options.configure = [](config::Library& library) { library.application.token_kind = config::TokenKind::personal; };
    StockBench bench(std::move(options));
    const auto before = bench.client.asked.size();
    bench.sync("stock", sync::Wanted::full_by_person);
    const std::vector<std::string> asked(bench.client.asked.begin() + static_cast<std::ptrdiff_t>(before),
                                         bench.client.asked.end());
    REQUIRE(bench.asked_for(before).size() >= 6);
    // What is asked beside a request for a list: for whose it is, or further of the same list.
    const auto list_of = [](const std::string& target) { return target.substr(0, target.find('?')); };
    for (std::size_t i = 0; i < asked.size(); ++i) {
        if (asked[i].find("/stock/") != std::string::npos) {
            for (const auto& beside : {asked[i - 1], asked[i + 1]}) {
                INFO(asked[i] << " beside " << beside);
                CHECK((beside.find("/current/") != std::string::npos || list_of(beside) == list_of(asked[i])));
            }
        }
    }
}

TEST_CASE("a list is walked for each row of its parent, after the parent, and is fresh when all were")
{
    StockBench bench;
    CHECK(bench.rows() == "60");
    CHECK(bench.is_same());
    CHECK(bench.state() == "fresh");
    CHECK(bench.query("SELECT count(*) FROM _slices WHERE proven_as_of IS NOT NULL AND why IS NULL") == "3");
    CHECK(bench.query("SELECT count(*) FROM _changes") == "0");
    // Three lists, and three questions where such lists end; rows are shown behind a canary.
    CHECK(bench.query("SELECT mode || ' ' || requests || ' ' || pages || ' ' || added || ' ' || rows || ' ' || reasons "
                      "FROM _runs WHERE resource = 'stock'") == R"(full 6 6 60 60 {"page":3,"end_try":3,"canary":3})");
    CHECK(bench.query("SELECT count(*) || ' ' || min(complete) FROM _proofs WHERE resource = 'stock'") == "1 1");
    const auto again = bench.sync("stock");
    REQUIRE(again.published);
    CHECK(again.proof.complete());
    CHECK(again.published->unchanged == 60);
    CHECK(again.published->rows == 60);
    CHECK(again.requests() == 3);
    CHECK(bench.why().empty());
}

TEST_CASE("a parent that goes takes its rows with it, and one that comes brings its own, when its table knows")
{
    StockBench bench;
    const auto gone = bench.ids("outlets").front();
    const auto before = bench.client.asked.size();
    bench.world()->edit("lib01", "inventory/outlets", {.remove = {gone}});
    bench.sync("outlets");
    bench.pass_time(1s);
    REQUIRE(bench.ids("outlets").size() == 2);
    CHECK(bench.rows() == "40");
    CHECK(bench.query("SELECT count(*) FROM _changes WHERE resource = 'stock' AND op = 'delete'") == "20");
    CHECK(bench.asked_for(before).empty());
    CHECK(bench.query("SELECT count(*) FROM _slices") == "2");
    bench.world()->edit("lib01", "inventory/outlets", {.add_seeded = 1});
    bench.sync("outlets");
    bench.pass_time(1s);
    CHECK(bench.rows() == "60");
    CHECK(bench.is_same());
    CHECK(bench.asked_for(before) == std::vector<std::int64_t>{bench.ids("outlets").back()});
    CHECK(bench.query("SELECT count(*) FROM _changes WHERE resource = 'stock' AND op = 'insert'") == "20");
    CHECK(bench.state() == "fresh");
}

TEST_CASE("many rows of several parents that go at once stay until the parents' list lacks these a second time")
{
    StockBench bench;
    bench.world()->edit("lib01", "inventory/outlets", {.remove = bench.ids("outlets")});
    bench.sync("outlets");
    bench.pass_time(1s);
    REQUIRE(bench.ids("outlets").empty());
    CHECK(bench.rows() == "60");
    bench.sync("stock");
    CHECK(bench.rows() == "60");
    CHECK(bench.state() == "fresh");
    bench.sync("outlets");
    bench.pass_time(1s);
    bench.sync("stock");
    CHECK(bench.rows() == "0");
    CHECK(bench.query("SELECT count(*) FROM _slices") == "0");
    CHECK(bench.query("SELECT count(*) FROM _changes WHERE resource = 'stock' AND op = 'delete'") == "60");
}

TEST_CASE("deleted rows are seen list by list, and rows of one list witness nothing against another")
{
    StockBench bench;
    const auto outlets = bench.ids("outlets");
    bench.world()->edit("lib01", StockBench::list(outlets[0]), {.remove_newest = 20});
    bench.world()->edit("lib01", StockBench::list(outlets[1]), {.add_seeded = 1, .remove_newest = 2});
    const auto report = bench.sync("stock");
    CHECK(report.proof.complete());
    bench.sync("stock");  // so many at once want a second look
    CHECK(bench.is_same());
    CHECK(bench.query("SELECT group_concat(rows) FROM _slices") == "0,19,20");
    CHECK(bench.query("SELECT count(*) FROM _changes WHERE op = 'delete'") == "22");
}

TEST_CASE("a list that is refused keeps its rows, and no other waits for it")
{
    StockBench bench;
    const auto outlets = bench.ids("outlets");
    const auto refused = GENERATE(0U, 1U, 2U);
    const auto other = outlets[(refused + 1) % 3];
    bench.world()->edit("lib01", StockBench::list(other), {.remove_newest = 1});
    SECTION("404 or 410, in the service's words")
    {
        bench.answer(StockBench::list(outlets[refused]), GENERATE(404, 410), not_found);
    }
    SECTION("403")
    {
        bench.answer(StockBench::list(outlets[refused]), 403, R"({"detail":"You do not have permission."})");
    }
    SECTION("404 of a path that leads nowhere")
    {
        bench.answer(StockBench::list(outlets[refused]), 404, "<h1>Not Found</h1>");
    }
    SECTION("an object instead of the list")
    {
        bench.answer(StockBench::list(outlets[refused]), 200, R"({"id":1})");
    }
    const auto report = bench.sync("stock");
    CHECK(report.trouble == sync::Trouble::none);
    CHECK(report.published);
    CHECK_FALSE(report.proof.complete());
    CHECK(bench.rows() == "59");
    CHECK(bench.why().find(
              fmt::format("1 of 3 lists cannot be walked; the first is for outlet_id {}: ", outlets[refused])) == 0);
    CHECK(bench.why().find("; their rows stay unchanged") != std::string::npos);
    CHECK(bench.query(fmt::format("SELECT count(*) FROM _slices WHERE why IS NOT NULL AND name = '{}'",
                                  outlets[refused])) == "1");
    CHECK(bench.status("stock").why.find("1 of 3 lists") == 0);
    // The table is as old as its oldest list, and says so.
    CHECK(bench.state() == "fresh");
    bench.pass_time(4h);
    CHECK(bench.query("SELECT state FROM freshness WHERE resource = 'outlets'") == "fresh");
    CHECK(bench.status("stock").as_of < bench.clock.now() - 3h);
    // It heals by itself.
    bench.world()->faults.clear();
    bench.pass_time(1h + 1min);
    CHECK(bench.why().empty());
    CHECK(bench.is_same());
    CHECK(bench.status("stock").as_of > bench.clock.now() - 70min);
}

TEST_CASE("a table that has never had one of its lists is not complete, however fresh the others are")
{
    auto options = StockBench::options(3);
    options.prepare = [](sim::World& world) {
        sim::Fault fault;
        fault.path = "/api/v2/" + StockBench::list(2) + "/";
        fault.times = std::nullopt;
        fault.acts = false;
        fault.status = 403;
        fault.body = R"({"detail":"You do not have permission."})";
        fault.content_type = "application/json";
        world.faults.add(fault);
    };
    StockBench bench(options);
    REQUIRE(bench.ids("outlets") == std::vector<std::int64_t>{1, 2, 3});
    bench.pass_time(3h);
    CHECK(bench.rows() == "40");
    CHECK(bench.state() == "filling");
    CHECK(bench.query("SELECT as_of IS NULL FROM freshness WHERE resource = 'stock'") == "1");
    CHECK(bench.why().find("1 of 3 lists cannot be walked; the first is for outlet_id 2: ") == 0);
    CHECK(bench.why().find("their rows are missing") != std::string::npos);
    bench.world()->faults.clear();
    bench.pass_time(1h + 1min);
    CHECK(bench.state() == "fresh");
    CHECK(bench.is_same());
    // A list that comes later does not make the table younger than it is.
    const auto as_of = bench.status("stock").as_of;
    sim::Edit outlet;
    outlet.add.push_back(*sim::parse_json(R"({"name":"fourth"})"));
    bench.world()->edit("lib01", "inventory/outlets", outlet);
    const auto ids = bench.service_ids("inventory/outlets");
    bench.answer(StockBench::list(*std::max_element(ids.begin(), ids.end())), 403,
                 R"({"detail":"You do not have permission."})");
    bench.pass_time(5h);
    REQUIRE(bench.ids("outlets").size() == 4);
    CHECK(bench.status("stock").state == control::State::late);
    CHECK(bench.status("stock").as_of <= *as_of + 2h);
}

TEST_CASE("a list that is not there is as good as an empty one while no row of it is here, and others are")
{
    auto options = StockBench::options(3);
    options.prepare = [](sim::World& world) {
        const auto outlet = world.find_list(world.library("lib01"), "inventory/outlets")
                                ->ordered({sim::OrderField::id, false})
                                .front()
                                ->id;
        sim::Fault fault;
        fault.path = "/api/v2/" + StockBench::list(outlet) + "/";
        fault.times = std::nullopt;
        fault.acts = false;
        fault.status = 404;
        fault.body = not_found;
        fault.content_type = "application/json";
        world.faults.add(fault);
    };
    StockBench bench(options);
    CHECK(bench.rows() == "40");
    CHECK(bench.state() == "fresh");
    CHECK(bench.why().find("1 of 3 lists do not exist and count as empty") == 0);
    CHECK(bench.query("SELECT proven_as_of IS NOT NULL FROM freshness WHERE resource = 'stock'") == "1");
    bench.pass_time(13h);
    CHECK(bench.status("stock").as_of > bench.clock.now() - 2h);
}

TEST_CASE("when all lists are refused, it is the configuration or a permission, and no row goes")
{
    StockBench bench;
    const bool forbidden = GENERATE(false, true);
    for (const auto outlet : bench.ids("outlets")) {
        bench.answer(StockBench::list(outlet), forbidden ? 403 : 404, not_found);
    }
    const auto report = bench.sync("stock");
    CHECK(report.trouble == (forbidden ? sync::Trouble::forbidden : sync::Trouble::needs_person));
    CHECK(bench.state() == (forbidden ? "forbidden" : "needs_person"));
    CHECK(bench.why().find("none of the requested lists can be walked; the first is for outlet_id ") == 0);
    CHECK(bench.rows() == "60");
    CHECK(bench.query("SELECT state FROM freshness WHERE resource = 'outlets'") == "fresh");
    bench.world()->faults.clear();
    bench.pass_time(2h);
    CHECK(bench.state() == "fresh");
    CHECK(bench.why().empty());
}

TEST_CASE("a list that fails is tried again between rounds, while the others keep their schedule")
{
    StockBench bench(6);
    const auto bad = bench.ids("outlets").front();
    bench.answer(StockBench::list(bad), 500, "<h1>");
    const auto report = bench.sync("stock");
    CHECK(report.trouble == sync::Trouble::none);
    CHECK(report.published->unchanged == 100);
    CHECK(bench.why().find("1 of 6 lists cannot be walked") == 0);
    CHECK(bench.why().find("500") != std::string::npos);
    const auto before = bench.client.asked.size();
    bench.pass_time(10min);
    const auto tried = bench.asked_for(before);
    CHECK(tried.size() >= 4);
    CHECK(std::count(tried.begin(), tried.end(), bad) == static_cast<std::ptrdiff_t>(tried.size()));
    bench.pass_time(5h);
    for (const auto outlet : bench.ids("outlets")) {
        const auto all = bench.asked_for(before);
        CHECK(std::count(all.begin(), all.end(), outlet) >= 5);
    }
    bench.world()->faults.clear();
    bench.pass_time(1h);
    CHECK(bench.state() == "fresh");
    CHECK(bench.why().empty());
}

TEST_CASE("lists that fail in every round hold up the next one no longer than a request each")
{
    auto options = StockBench::options(12);
    options.every = 1min;
    StockBench bench(std::move(options));
    for (const auto outlet : {3, 6, 9}) {
        bench.answer(StockBench::list(outlet), 500, "<h1>");
    }
    bench.pass_time(5min);
    const auto before = bench.client.asked.size();
    bench.pass_time(20min);
    const auto asked = bench.asked_for(before);
    for (const auto outlet : bench.ids("outlets")) {
        CHECK(std::count(asked.begin(), asked.end(), outlet) >= 18);
    }
}

TEST_CASE("a service that fails for all lists ends the round soon, and the next try goes on with the rest of it")
{
    StockBench bench(40);
    bench.pass_time(50min);
    const auto before = bench.client.asked.size();
    sim::Fault down;
    down.path = "/api/v2/inventory/outlets/";
    down.skip = 11;  // the outlets themselves, and ten lists
    down.times = std::nullopt;
    down.status = 500;
    down.acts = false;
    down.body = "<h1>";
    bench.world()->faults.add(down);
    bench.pass_time(13min);
    CHECK(bench.trouble() == sync::Trouble::passing);
    const auto tried = bench.asked_for(before);
    const std::set<std::int64_t> distinct(tried.begin(), tried.end());
    CHECK(distinct.size() >= 13);
    CHECK(distinct.size() <= 10 + 4 * 3 + 7);  // four tries, each of other lists; those that had been asked for ahead
    CHECK(bench.query("SELECT count(*) FROM _slices WHERE why IS NOT NULL") == "0");
    bench.world()->faults.clear();
    const auto mended = bench.client.asked.size();
    bench.pass_time(20min);
    CHECK(bench.asked_for(mended).size() == 30);
    CHECK(bench.state() == "fresh");
    CHECK(bench.is_same());
}

TEST_CASE("three neighbours that always fail stop a round once, and then keep no other list waiting")
{
    StockBench bench(40);
    const auto outlets = bench.ids("outlets");
    for (const auto place : {10U, 11U, 12U}) {
        bench.answer(StockBench::list(outlets[place]), 500, "<h1>");
    }
    bench.pass_time(50min);
    const auto before = bench.client.asked.size();
    bench.pass_time(40min);
    const auto tried = bench.asked_for(before);
    CHECK(std::set<std::int64_t>(tried.begin(), tried.end()).size() == 40);
    CHECK(bench.trouble() == sync::Trouble::none);
    CHECK(bench.why().find("3 of 40 lists cannot be walked") == 0);
    CHECK(bench.query("SELECT count(*) FROM _slices WHERE why IS NOT NULL") == "3");
    // Known from then on, they come last.
    const auto later = bench.client.asked.size();
    bench.pass_time(1h);
    const auto again = bench.asked_for(later);
    CHECK(std::set<std::int64_t>(again.begin(), again.end()).size() == 40);
}

TEST_CASE("lists wait for a parent that was never filled, and say so")
{
    auto options = StockBench::options(3);
    options.prepare = [](sim::World& world) {
        sim::Fault closed;
        closed.path = "/api/v2/inventory/outlets/";
        closed.times = 8;
        closed.acts = false;
        closed.status = 500;
        closed.body = "<h1>";
        world.faults.add(closed);
    };
    LibraryBench bench(options);
    bench.pass_time(20s);
    CHECK(bench.query("SELECT state || ': ' || why FROM freshness WHERE resource = 'stock'") ==
          "filling: waits for outlets, which was not filled yet: its rows name the lists");
    bench.pass_time(30min);
    CHECK(bench.query("SELECT state FROM freshness WHERE resource = 'stock'") == "fresh");
    CHECK(bench.query("SELECT count(*) FROM stock") == "60");
}

TEST_CASE("once its parent is filled, the first round over the lists waits for nothing but the limit")
{
    auto options = StockBench::options(60);
    options.requests_per_minute = 20;
    LibraryBench bench(options);
    for (int turn = 0; turn < 12; ++turn) {
        bench.pass_time(10s);
        const auto now = bench.status("stock");
        INFO(turn << ": " << now.why);
        CHECK(now.state == control::State::filling);
        const bool is_waiting = now.why.find("waits for outlets") != std::string::npos;
        CHECK(is_waiting == (bench.query("SELECT count(*) FROM outlets") == "0"));
    }
}

TEST_CASE("a parent without rows makes a table without rows, which is fresh")
{
    StockBench bench(0);
    CHECK(bench.state() == "fresh");
    CHECK(bench.rows() == "0");
    bench.world()->edit("lib01", "inventory/outlets", {.add_seeded = 1});
    bench.pass_time(1h + 1min);
    CHECK(bench.rows() == "20");
    CHECK(bench.state() == "fresh");
}

TEST_CASE("a round that a stop cuts short goes on with the lists it did not reach")
{
    auto options = StockBench::options(60);
    options.requests_per_minute = 20;
    StockBench bench(options);
    bench.pass_time(10s);
    bench.stop();
    const auto walked = bench.asked_for().size();
    REQUIRE(walked > 5);
    REQUIRE(walked < 50);
    CHECK(bench.query("SELECT state FROM freshness WHERE resource = 'stock'") == "filling");
    bench.start();
    bench.pass_time(4min);
    // What was there ahead of the canary that vouches for it, when the stop came, is asked for again.
    CHECK(bench.asked_for().size() >= 60);
    CHECK(bench.asked_for().size() < 60 + 8);
    CHECK(bench.is_same());
    CHECK(bench.state() == "fresh");
    // One that was cut short long ago is begun anew.
    bench.pass_time(1h);
    bench.stop();
    bench.pass_time(3h);
    bench.start();
    const auto before = bench.client.asked.size();
    bench.pass_time(5min);
    CHECK(bench.asked_for(before).size() == 60);
}

TEST_CASE("more lists than the limit allows take turns, others come between, and late is said with its cause")
{
    auto options = StockBench::options(90);
    options.every = 10min;
    options.requests_per_minute = 5;
    StockBench bench(options);
    bench.pass_time(4h);
    const auto all = bench.asked_for();
    const auto outlets = bench.ids("outlets");
    std::vector<std::ptrdiff_t> times;
    for (const auto outlet : outlets) {
        times.push_back(std::count(all.begin(), all.end(), outlet));
    }
    CHECK(*std::min_element(times.begin(), times.end()) >= *std::max_element(times.begin(), times.end()) - 1);
    CHECK(bench.query("SELECT count(*) >= 20 FROM _runs WHERE resource = 'outlets'") == "1");
    CHECK(bench.why().find("a round over all lists took ") == 0);
    CHECK(bench.why().find("longer than `every`") != std::string::npos);
    const auto status = bench.status("stock");
    CHECK(status.as_of < bench.clock.now() - 18min);
    // An outlet that opens does not wait for all the others.
    const auto before = bench.client.asked.size();
    bench.world()->edit("lib01", "inventory/outlets", {.add_seeded = 1});
    bench.pass_time(45min);
    const auto opened = bench.service_ids("inventory/outlets").back();
    const auto since = bench.asked_for(before);
    CHECK(std::find(since.begin(), since.end(), opened) != since.end());
}

TEST_CASE("a nightly round may take longer than an hour, and one that is cut short goes on with the rest")
{
    auto options = StockBench::options(240);
    options.at = {3h + 30min};
    options.hour = 12;
    options.requests_per_minute = 3;
    StockBench bench(options);
    bench.pass_time(170min);
    CHECK(bench.query("SELECT (julianday(max(finished_at)) - julianday(min(started_at))) * 24 > 1 FROM _runs WHERE "
                      "resource = 'stock'") == "1");
    CHECK(bench.state() == "fresh");
    CHECK(bench.why().empty());
    const auto night = bench.client.asked.size();
    bench.pass_time(12h);  // after 03:30 in Brussels, summer or not
    while (bench.asked_for(night).size() < 200) {
        REQUIRE(bench.clock.advance_to_next());
    }
    bench.stop();
    const auto stopped = bench.client.asked.size();
    bench.start();
    bench.pass_time(1h);
    CHECK(bench.asked_for(stopped).size() <= 45);
    CHECK(bench.state() == "fresh");
}

TEST_CASE("what is excluded from a list by parent never touches the disk")
{
    auto options = StockBench::options(2);
    options.exclude = {"amount"};
    StockBench bench(options);
    CHECK(bench.rows() == "40");
    CHECK(bench.query("SELECT count(*) FROM _columns WHERE resource = 'stock' AND key = 'amount'") == "0");
    CHECK(bench.query("SELECT count(*) FROM _columns WHERE resource = 'stock' AND key = 'outlet_id'") == "1");
}

TEST_CASE("each list is asked for its own changes, and the whole of each shows what no date tells")
{
    auto options = StockBench::options(3);
    options.incremental = config::Incremental{"modified_date__gt", "modified_date"};
    options.full_every = 24h;
    StockBench bench(options);
    CHECK(bench.query("SELECT filter FROM _resources WHERE resource = 'stock'").empty());
    bench.pass_time(1h + 1min);
    CHECK(bench.query("SELECT filter FROM _resources WHERE resource = 'stock'") == "obeyed");
    const auto outlets = bench.ids("outlets");
    const auto changed = bench.service_ids(StockBench::list(outlets[1])).front();
    const auto gone = bench.service_ids(StockBench::list(outlets[2])).front();
    bench.world()->edit("lib01", StockBench::list(outlets[1]),
                        {.change = {*sim::parse_json(fmt::format(R"({{"id":{},"amount":"777.0"}})", changed))}});
    bench.world()->edit("lib01", StockBench::list(outlets[2]), {.remove = {gone}});
    const auto before = bench.client.asked.size();
    bench.pass_time(1h);
    CHECK(bench.asked_for(before).size() == 3);
    CHECK(std::count_if(bench.client.asked.begin() + static_cast<std::ptrdiff_t>(before), bench.client.asked.end(),
                        [](const std::string& asked) {
                            return asked.find("/stock/") != std::string::npos &&
                                   asked.find("modified_date__gt=") != std::string::npos;
                        }) == 3);
    CHECK(bench.query(fmt::format("SELECT amount FROM stock WHERE id = {}", changed)) == "777.0");
    CHECK(bench.rows() == "60");
    CHECK(bench.query("SELECT mode || ' ' || changed FROM _runs WHERE resource = 'stock' ORDER BY rowid DESC") ==
          "incremental 1");
    CHECK(bench.query("SELECT group_concat(rows) FROM _slices WHERE resource = 'stock'") == "20,20,20");
    // An outlet that opens has no past to ask since.
    bench.world()->edit("lib01", "inventory/outlets", {.add_seeded = 1});
    bench.pass_time(1h + 1min);
    CHECK(bench.rows() == "80");
    bench.pass_time(23h);
    CHECK(bench.is_same());
    CHECK(bench.state() == "fresh");
}

TEST_CASE("a list that could not be had before it was ever walked comes whole with the next round for changes")
{
    auto options = StockBench::options(3);
    options.incremental = config::Incremental{"modified_date__gt", "modified_date"};
    options.full_every = 24h * 7;
    StockBench bench(options);
    bench.pass_time(2h);
    bench.world()->edit("lib01", "inventory/outlets", {.add_seeded = 1});
    const auto ids = bench.service_ids("inventory/outlets");
    const auto newest = *std::max_element(ids.begin(), ids.end());
    SECTION("refused")
    {
        bench.answer(StockBench::list(newest), 403, R"({"detail":"You do not have permission."})");
    }
    SECTION("failed")
    {
        bench.answer(StockBench::list(newest), 500, "<h1>");
    }
    bench.pass_time(2h);
    REQUIRE(bench.ids("outlets").size() == 4);
    CHECK(bench.rows() == "60");
    bench.world()->faults.clear();
    const auto report = bench.sync("stock");
    CHECK(report.kind == sync::PassKind::incremental);
    CHECK(report.trouble == sync::Trouble::none);
    CHECK(bench.rows() == "80");
    CHECK(bench.is_same());
    bench.pass_time(1h + 1min);
    CHECK(bench.state() == "fresh");
}

TEST_CASE("a filter that the service ignores is not relied on, list by list")
{
    auto options = StockBench::options(2);
    options.incremental = config::Incremental{"since_ever", "modified_date"};
    StockBench bench(options);
    bench.pass_time(2h);
    CHECK(bench.why().find("the service ignores the filter since_ever") == 0);
    const auto outlet = bench.ids("outlets").front();
    bench.world()->edit("lib01", StockBench::list(outlet), {.remove_newest = 1});
    bench.pass_time(2h);
    CHECK(bench.is_same());
}

TEST_CASE("arrays by parent are asked further once for all of them, and walked to their end where they are cut")
{
    StockBench bench(12);
    REQUIRE(bench.rows() == "240");
    const auto questions = [&bench] {
        return std::count_if(bench.client.asked.begin(), bench.client.asked.end(), StockBench::is_question);
    };
    const auto learned = questions();
    CHECK(learned <= 6);
    bench.pass_time(5h);
    CHECK(questions() == learned);
    const auto outlets = bench.service_ids("inventory/outlets");
    for (const auto outlet : outlets) {
        bench.world()->quirks(StockBench::list(outlet)).habits = {.cap = 9, .paging = sim::Paging::page, .count = {}};
    }
    bench.pass_time(5h);
    CHECK(bench.is_same());
    CHECK(bench.query("SELECT count(*) FROM _changes WHERE op = 'delete'") == "0");
    bench.world()->edit("lib01", StockBench::list(outlets[0]), {.add_seeded = 3, .remove_newest = 1});
    bench.pass_time(5h);
    CHECK(bench.is_same());
}

TEST_CASE(
    "an array by parent that gives fewer rows from today on loses none, though nothing but the list shows its rows")
{
    const auto paging = GENERATE(sim::Paging::page, sim::Paging::offset, sim::Paging::nothing);
    auto options = StockBench::options(3);
    options.exclude = {"url"};
    StockBench bench(options);
    const auto rows = bench.rows();
    for (const auto outlet : bench.service_ids("inventory/outlets")) {
        bench.world()->quirks(StockBench::list(outlet)).habits = {.cap = 9, .paging = paging, .count = {}};
    }
    bench.pass_time(50h);
    CHECK(bench.rows() == rows);
    CHECK(bench.query("SELECT count(*) FROM _changes WHERE op = 'delete'") == "0");
    CHECK((bench.why().find("answers = \"whole\"") != std::string::npos) == (paging == sim::Paging::nothing));
}

TEST_CASE("pages, cursors, arrays and single objects are walked by parent as they are without")
{
    auto options = StockBench::options(4);
    options.resources = {"counts", "moves", "stock", "about", "outlets"};
    options.page_size = 20;
    StockBench bench(options);
    bench.pass_time(3min);
    for (const char* table : {"counts", "moves", "stock"}) {
        INFO(table);
        CHECK(bench.rows(table) == (table == std::string("stock") ? "80" : "200"));
        CHECK(bench.is_same(table));
        CHECK(bench.query(fmt::format("SELECT state FROM freshness WHERE resource = '{}'", table)) == "fresh");
    }
    CHECK(bench.query("SELECT group_concat(envelope) FROM (SELECT envelope FROM _resources WHERE resource <> 'outlets' "
                      "ORDER BY resource)") == "object,counted,cursor,array");
    CHECK(bench.query("SELECT kind FROM _proofs WHERE resource = 'counts'") == "newest_first");
    CHECK(bench.query("SELECT kind FROM _proofs WHERE resource = 'moves'") == "chain");
    // One row for each parent, known by the parent alone.
    CHECK(bench.query("SELECT count(*) || ' ' || sum(outlet_id = id) FROM about") == "4 4");
    const auto outlets = bench.ids("outlets");
    bench.world()->edit("lib01", StockBench::list(outlets[0], "counts"), {.add_seeded = 2, .remove_newest = 3});
    bench.world()->edit("lib01", StockBench::list(outlets[3], "moves"), {.add_seeded = 1});
    bench.pass_time(2h + 1min);
    CHECK(bench.is_same("counts"));
    CHECK(bench.is_same("moves"));
}

TEST_CASE("an object by parent that has no content is an empty list")
{
    const bool had_row = GENERATE(true, false);
    const int status = GENERATE(204, 200);
    auto options = StockBench::options(4);
    options.resources = {"about", "outlets"};
    const auto empty_list = [status](sim::World& world) {
        sim::Fault fault;
        const auto outlets = world.find_list(world.library("lib01"), "inventory/outlets");
        const auto outlet = outlets->ordered({sim::OrderField::id, false}).front()->id;
        fault.path = fmt::format("/api/v2/inventory/outlets/{}/", outlet);
        fault.times = std::nullopt;
        fault.acts = false;
        fault.status = status;
        fault.body = status == 204 ? "" : "null";
        fault.content_type = "application/json";
        world.faults.add(fault);
    };
    if (!had_row) {
        options.prepare = empty_list;
    }
    StockBench bench(options);
    CHECK(bench.rows("about") == (had_row ? "4" : "3"));
    empty_list(*bench.world());
    bench.pass_time(5h);
    CHECK(bench.rows("about") == "3");
    CHECK(bench.query("SELECT state FROM freshness WHERE resource = 'about'") == "fresh");
}

TEST_CASE("lists that only two walks prove are proven between the rounds, however shortly these follow each other")
{
    auto options = StockBench::options(2);
    options.resources = {"counts", "outlets"};
    options.page_size = 20;
    options.every = 20s;
    options.prepare = [](sim::World& world) {
        const auto outlets = world.find_list(world.library("lib01"), "inventory/outlets");
        for (const auto* outlet : outlets->ordered({sim::OrderField::id, false})) {
            world.quirks(StockBench::list(outlet->id, "counts")).omits_count = true;
            world.quirks(StockBench::list(outlet->id, "counts")).ignores_ordering = true;
        }
    };
    StockBench bench(options);
    for (int round = 0; round < 3; ++round) {
        for (const auto outlet : bench.ids("outlets")) {
            bench.world()->edit("lib01", StockBench::list(outlet, "counts"), {.add_seeded = 2, .remove_newest = 1});
        }
        const auto changed = bench.clock.now();
        bench.pass_time(10min);
        CHECK(bench.is_same("counts"));
        CHECK(bench.query(fmt::format("SELECT proven_as_of > '{}' FROM freshness WHERE resource = 'counts'",
                                      changed.to_text())) == "1");
    }
}

TEST_CASE("another kind of answer is a fault of every list by parent until a person takes it")
{
    StockBench bench;
    for (const auto outlet : bench.service_ids("inventory/outlets")) {
        bench.world()->quirks(StockBench::list(outlet)).envelope = sim::Envelope::page_number;
        bench.world()->edit("lib01", StockBench::list(outlet), {.add_seeded = 1});
    }
    const auto refused = bench.sync("stock");
    CHECK(refused.why.find("shelfctl sync lib01 stock --full") != std::string::npos);
    CHECK(bench.rows() == "60");
    CHECK(bench.sync("stock", sync::Wanted::full_by_person).published);
    CHECK(bench.rows() == "63");
    CHECK(bench.is_same());
    CHECK(bench.sync("stock").published);
}

TEST_CASE("a ledger that is a parent loads its history beside the lists of the rows it has already")
{
    StockBench bench(outlets_by_day());
    const auto windows = [&bench] { return bench.query("SELECT count(*) FROM _slices WHERE resource = 'outlets'"); };
    CHECK(std::stoi(windows()) < 20);
    CHECK(std::stoi(bench.rows()) >= 20);
    bench.pass_time(1min);
    CHECK(std::stoi(windows()) < 41);
    CHECK(std::stoi(bench.rows()) >= 40);  // each that brings rows is followed by the canary
    bench.pass_time(15min);
    CHECK(windows() == "41");
    CHECK(bench.rows() == "800");
    CHECK(bench.is_same());
    CHECK(bench.query("SELECT count(*) FROM _changes WHERE op = 'delete'") == "0");
}

TEST_CASE("a ledger that is a parent and is filled anew takes no list away whose row is still to come")
{
    StockBench bench(outlets_by_day());
    bench.pass_time(15min);
    REQUIRE(bench.rows() == "800");
    bench.stop();
    const auto configure = bench.LibraryBench::options().configure;
    bench.LibraryBench::options().configure = [configure](config::Library& library) {
        configure(library);
        library.resources.own().back().exclude = {"name"};
    };
    bench.start();
    bench.pass_time(3s);
    REQUIRE(std::stoi(bench.rows("outlets")) < 40);
    REQUIRE(std::stoi(bench.rows("outlets")) > 0);
    for (int minute = 0; minute < 15; ++minute) {
        REQUIRE(bench.rows() == "800");
        bench.pass_time(1min);
    }
    CHECK(bench.rows("outlets") == "40");
    CHECK(bench.query("SELECT count(*) FROM _changes WHERE resource = 'stock' AND op = 'delete'") == "0");
    // Once it is complete again, what its rows do not name goes.
    bench.world()->edit("lib01", "inventory/outlets", {.remove = {40}});
    bench.pass_time(27h);
    CHECK(bench.rows() == "780");
}

TEST_CASE("another parent in the configuration fills the table anew, and one that is dropped leaves it alone")
{
    StockBench bench;
    bench.LibraryBench::options().parent->as = "shop";
    bench.stop();
    bench.start();
    bench.pass_time(2min);
    CHECK(bench.rows() == "60");
    CHECK(bench.query("SELECT \"key\" FROM _resources WHERE resource = 'stock'") == R"(["shop","id"])");
    CHECK(bench.query("SELECT count(DISTINCT shop) FROM stock") == "3");
    bench.LibraryBench::options().resources = {"outlets"};
    bench.stop();
    bench.start();
    bench.pass_time(2min);
    CHECK(bench.rows() == "60");
    CHECK(bench.state() == "retired");
}

TEST_CASE("a run of everything once ends where lists by parent come long after their parent")
{
    auto options = StockBench::options(40);
    options.resources = {"counts", "stock", "outlets"};
    options.every = 1min;
    options.requests_per_minute = 20;
    LibraryBench bench(options);
    bench.stop();
    bench.open();
    const auto once = [&]() -> asio::awaitable<bool> {
        co_await bench.unit->run_once();
        co_return true;
    };
    auto ended = bench.clock.run(with_deadline(bench.clock, once(), 1h));
    CHECK(ended);
    CHECK(bench.query("SELECT count(*) FROM stock") == "800");
    CHECK(bench.query("SELECT count(*) FROM freshness WHERE state IN ('fresh', 'late')") == "3");
}

TEST_CASE("a round asked for walks every list, whatever was done before")
{
    StockBench bench(4);
    const auto before = bench.client.asked.size();
    bench.sync("stock", sync::Wanted::full_by_person);
    CHECK(bench.asked_for(before).size() == 4);
    CHECK(bench.query("SELECT round_at IS NULL FROM _resources WHERE resource = 'stock'") == "1");
}

TEST_CASE("a token set that ends in mid-round is no fault of a list")
{
    StockBench bench(10);
    const auto before = bench.client.asked.size();
    bench.world()->revoke_set("lib01");
    const auto report = bench.sync("stock");
    CHECK(report.trouble == sync::Trouble::needs_person);
    INFO(report.why);
    CHECK_FALSE(report.why.empty());
    CHECK(report.why.find("the first is for") == std::string::npos);
    CHECK(bench.asked_for(before).size() <= 2);
    CHECK(bench.query("SELECT count(*) FROM _slices WHERE why IS NOT NULL") == "0");
    CHECK(bench.rows() == "200");
}

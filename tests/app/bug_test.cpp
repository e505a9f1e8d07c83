// A task that ends by an exception: what stops, what goes on, and how it begins again.
#include "app/library/library_set.hpp"
#include "app/library_bench.hpp"
#include "app/services/bug_history.hpp"

#include "support/catch.hpp"

#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <cctype>
#include <memory>
#include <stdexcept>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

BenchOptions two_tables()
{
    BenchOptions options;
    options.world.rows_of = {{"library/recipes", 30}, {"library/ingredients", 30}};
    options.page_size = 10;
    options.resources = {"recipes", "ingredients"};
    return options;
}

// Every request whose address holds `part` is a bug of its sender; the first `skip` of them are not.
void plant(LibraryBench& bench, const std::string& part, std::size_t skip = 0)
{
    bench.client.before_sending = [part, skip](const std::string& target) mutable {
        if (target.find(part) != std::string::npos && (skip == 0 || skip-- == 0)) {
            throw std::out_of_range("planted at " + target);
        }
    };
}

void heal(LibraryBench& bench)
{
    bench.client.before_sending = [](const std::string&) {};
    bench.logged = [](const std::string&) {};
}

// A task that is to fail.
struct Task {
    const char* name;
    const char* what;  // of the bug
    BenchOptions options = two_tables();
    Duration before = 1min;  // until the bug is planted
    std::function<void(LibraryBench&)> plant = {};
    Duration within = 16min;  // until then it has failed
};

// The address of one row.
bool is_row(const std::string& target)
{
    const std::string list = "/api/v2/library/recipes/";
    return target.starts_with(list) && target.size() > list.size() && std::isdigit(target[list.size()]) != 0;
}

std::vector<Task> tasks()
{
    const auto at = [](const char* part) { return [part](LibraryBench& bench) { plant(bench, part); }; };
    const auto at_row = [](LibraryBench& bench) {
        bench.client.before_sending = [](const std::string& target) {
            if (is_row(target)) {
                throw std::out_of_range("planted at " + target);
            }
        };
    };
    std::vector<Task> all;
    all.push_back({.name = "the page a pass waits for", .what = "recipes: planted", .plant = at("library/recipes/")});
    all.push_back({.name = "a page that is fetched ahead", .what = ": planted", .plant = at("page=3")});
    all.push_back({.name = "the canary before a pass", .what = ": planted", .plant = at("libraries/current")});
    Task detail{.name = "a detail", .what = "recipes", .plant = at_row};
    detail.options.resources = {"recipes"};
    detail.options.detail = config::Detail{"url", "", 10min};
    all.push_back(detail);
    Task filter{.name = "the test of a filter", .what = "recipes: planted", .within = 24h * 8};
    filter.options.resources = {"recipes"};
    filter.options.incremental =
        config::Incremental{"modified_date__gt", "modified_date", config::Incremental::Format::datetime, 1h};
    filter.plant = [](LibraryBench& bench) {
        const auto far = (bench.clock.now() + Duration(24h * 3660)).to_text().substr(0, 4);
        plant(bench, "modified_date__gt=" + far);
    };
    all.push_back(filter);
    Task witness{.name = "a missing row by its own address", .what = "recipes: planted"};
    witness.plant = [at_row](LibraryBench& bench) {
        bench.world()->edit("lib01", "library/recipes", {.remove = {bench.service_ids().front()}});
        at_row(bench);
    };
    all.push_back(witness);
    Task ahead{.name = "the first page of a list by parent, fetched ahead", .what = "stock: planted"};
    ahead.options = BenchOptions();
    ahead.options.family = "inventory";
    ahead.options.resources = {"stock", "outlets"};
    ahead.options.parent = config::Parent{"outlets", "id", "outlet_id", {}, {}};
    ahead.options.world.rows_of["inventory/outlets"] = 5;
    ahead.options.ordering = "";
    ahead.plant = [](LibraryBench& bench) {
        auto under_way = std::make_shared<int>(0);
        bench.client.answered = [under_way] { *under_way = 0; };
        bench.client.before_sending = [under_way](const std::string& target) {
            if (target.find("/stock/") != std::string::npos && (*under_way)++ > 0) {
                throw std::out_of_range("planted at " + target);
            }
        };
    };
    all.push_back(ahead);
    Task snapshot{.name = "a snapshot", .what = "snapshots: planted", .before = 10min, .within = 2h};
    snapshot.options.snapshot_every = 1h;
    snapshot.plant = [](LibraryBench& bench) {
        bench.logged = [](const std::string& line) {
            if (line.starts_with("snapshot of lib01")) {
                throw std::out_of_range("planted");
            }
        };
    };
    all.push_back(snapshot);
    return all;
}

std::size_t posts(LibraryBench& bench)
{
    return bench.world()->audit_report().count("POST", "/oauth/token/");
}

bool has_logged(const LibraryBench& bench, const std::string& part)
{
    return std::any_of(bench.log_lines.begin(), bench.log_lines.end(),
                       [&](const auto& line) { return line.find(part) != std::string::npos; });
}

// antwerp and bruges over one service; antwerp has the token set.
class TwoLibraries {
public:
    TwoLibraries() : bench(two_tables()), libraries(*bench.parts)
    {
        auto antwerp = bench.unit->library();
        bench.stop();
        antwerp.name = "antwerp";
        auto bruges = antwerp;
        bruges.name = "bruges";
        wanted_ = config::share({antwerp, bruges});
        REQUIRE(bench.clock.run(libraries.open(wanted_)));
        libraries.start();
        import("antwerp", 0);
        bench.pass_time(1min);
    }
    ~TwoLibraries() { bench.clock.run(libraries.stop()); }

    void import(const std::string& library, std::size_t number)
    {
        const auto view = bench.world()->view_set("lib01", number);
        auto set = oauth::parse_paste("access_token=" + view.access_token + "\nrefresh_token=" + view.refresh_token +
                                      "\nexpires_in=604800\n");
        REQUIRE(bench.clock.run(libraries.find(library)->keeper().import(std::move(*set), oauth::ImportMode::seal)));
        libraries.find(library)->token_set_changed();
    }
    // As the daemon does when the time has come.
    void begin_again()
    {
        // It switches cancellation off for its stack: one of its own.
        auto work = [this]() -> asio::awaitable<void> { co_await libraries.begin_again(wanted_); };
        bench.clock.run(work());
        bench.clock.settle();
    }

    LibraryBench bench;
    app::LibrarySet libraries;

private:
    config::Libraries wanted_;
};

}  // namespace

TEST_CASE("a task that fails ends the passes of its library, whichever task it is, and is told with what to do")
{
    for (auto& row : tasks()) {
        INFO(row.name);
        LibraryBench bench(row.options);
        bench.pass_time(row.before);
        row.plant(bench);
        bench.pass_time(row.within);
        REQUIRE(bench.unit->bug());
        CHECK(bench.unit->bug()->what.find(row.what) != std::string::npos);
        CHECK(has_logged(bench, "bug in lib01: "));
        const auto status = app::report_library(*bench.unit, bench.clock.now());
        REQUIRE(status.bug);
        CHECK(status.bug->what == bench.unit->bug()->what);
        CHECK(status.bug->again_at > status.bug->since);
        CHECK(status.bug->do_this.find("send a bug report") != std::string::npos);
        heal(bench);
        const auto asked = bench.client.asked.size();
        bench.pass_time(1h);
        CHECK(std::none_of(
            bench.client.asked.begin() + static_cast<std::ptrdiff_t>(asked), bench.client.asked.end(),
            [&row](const std::string& target) { return target.starts_with("/api/v2/" + row.options.family + "/"); }));
        for (const auto& table : app::report_library(*bench.unit, bench.clock.now()).resources) {
            CHECK_FALSE(table.running);
            CHECK(table.next_due == status.bug->again_at);
        }
    }
}

TEST_CASE("a bug in the care that the daemon takes of all libraries stops the library that it was taken of, no other")
{
    TwoLibraries two;
    auto& bench = two.bench;
    std::vector<std::string> cared_for;
    two.libraries.for_each("the care", [&cared_for](app::LibraryUnit& unit) {
        cared_for.push_back(unit.library().name);
        if (cared_for.size() == 1) {
            throw std::out_of_range("planted");
        }
    });
    CHECK(cared_for == std::vector<std::string>{"antwerp", "bruges"});
    REQUIRE(two.libraries.find("antwerp")->bug());
    CHECK(two.libraries.find("antwerp")->bug()->what == "the care: planted");
    CHECK_FALSE(two.libraries.find("bruges")->bug());
    bench.pass_time(2min);
    two.begin_again();
    CHECK_FALSE(two.libraries.find("antwerp")->bug());
}

TEST_CASE("the token set of a library that a bug has stopped is refreshed when it is due")
{
    LibraryBench bench(two_tables());
    bench.pass_time(1min);
    plant(bench, "library/recipes/");
    bench.pass_time(16min);
    REQUIRE(bench.unit->bug());
    const auto before = posts(bench);
    const auto generation = bench.unit->keeper().status().generation;
    bench.pass_time(24h * 14);
    CHECK(posts(bench) > before);
    const auto token = bench.unit->keeper().status();
    CHECK(token.generation > generation);
    CHECK(token.state == oauth::TokenState::good);
    CHECK(bench.world()->audit_report().reuses_of_spent == 0);
}

TEST_CASE("an exchange that is under way when a task fails lands")
{
    auto options = two_tables();
    options.every = 1h;
    LibraryBench bench(options);
    bench.pass_time(1min);
    const auto generation = bench.unit->keeper().status().generation;
    sim::Fault slow;
    slow.path = "/oauth/token/";
    slow.delay_after = 90s;
    bench.world()->faults.add(slow);
    bench.world()->expire_access("lib01");
    while (!bench.unit->keeper().exchange_in_flight()) {
        REQUIRE(bench.clock.advance_to_next());
    }
    const std::exception_ptr planted = std::make_exception_ptr(std::logic_error("planted"));
    bench.unit->context().owner.failed("recipes", planted);
    bench.clock.settle();
    REQUIRE(bench.unit->bug());
    const bool is_stopped = GENERATE(false, true);
    if (is_stopped) {
        bench.stop();
        bench.start();
    }
    bench.pass_time(3min);
    CHECK(bench.unit->keeper().status().generation == generation + 1);
    CHECK(bench.unit->keeper().status().state == oauth::TokenState::good);
    CHECK(bench.world()->audit_report().reuses_of_spent == 0);
}

TEST_CASE("a library that a bug has stopped begins again by itself, the others never notice, and who waits is told")
{
    TwoLibraries two;
    auto& bench = two.bench;
    REQUIRE(app::report_library(*two.libraries.find("antwerp"), bench.clock.now()).resources.front().state ==
            control::State::fresh);
    plant(bench, "library/recipes/");
    bench.pass_time(16min);
    const auto failed = two.libraries.find("antwerp");
    REQUIRE(failed->bug());
    CHECK_FALSE(two.libraries.find("bruges")->bug());
    CHECK(failed->is_stopped());
    CHECK(failed->stopped_error().text().find("antwerp was stopped by a bug (recipes: planted") == 0);
    REQUIRE(two.libraries.begins_again_at() == failed->bug()->again_boot);
    two.begin_again();
    CHECK(two.libraries.find("antwerp") != failed);
    CHECK_FALSE(two.libraries.begins_again_at());
    bench.pass_time(16min);
    // It failed again, and waits longer.
    const auto again = two.libraries.find("antwerp");
    REQUIRE(again->bug());
    CHECK(again->bug()->times == 2);
    CHECK(again->bug()->since == failed->bug()->since);
    CHECK(again->bug()->again_at - again->bug()->at == 2 * (failed->bug()->again_at - failed->bug()->at));
    heal(bench);
    bench.pass_time(2min);
    two.begin_again();
    bench.pass_time(16min);
    CHECK_FALSE(two.libraries.find("antwerp")->bug());
    CHECK(app::report_library(*two.libraries.find("antwerp"), bench.clock.now()).resources.front().state ==
          control::State::fresh);
    CHECK(bench.world()->audit_report().reuses_of_spent == 0);
}

TEST_CASE("a run of everything once ends at a bug")
{
    LibraryBench bench(two_tables());
    bench.stop();
    bench.open();
    plant(bench, "page=3");
    const auto begun = bench.clock.boot_now();
    bench.clock.run(bench.unit->run_once());
    CHECK(bench.unit->bug());
    CHECK(bench.clock.boot_now() - begun < Duration(10min));
}

TEST_CASE("bugs in a row make a library wait longer each time, an hour at most, and good hours end the row")
{
    app::BugHistory history;
    auto boot = BootTime::from_micros(0);
    auto now = Instant::from_seconds(1'700'000'000);
    const auto pass = [&](Duration by) {
        boot = boot + by;
        now = now + by;
    };
    std::vector<Duration> waits;
    for (int i = 0; i < 10; ++i) {
        const auto& bug = history.add("x", now, boot);
        waits.push_back(bug.again_at - now);
        CHECK(bug.since == Instant::from_seconds(1'700'000'000));
        pass(bug.again_at - now + Duration(10s));
    }
    CHECK(waits.front() == Duration(30s));
    CHECK(waits[1] == Duration(60s));
    CHECK(waits.back() == Duration(1h));
    pass(2h);
    CHECK(history.add("x", now, boot).times == 1);
}

// A task that ends by an exception: what stops, what goes on, and how it begins again.
#include "app/library/library_set.hpp"
#include "app/library_bench.hpp"
#include "app/services/bug_history.hpp"

#include "support/catch.hpp"

#include <boost/asio/co_spawn.hpp>

#include <algorithm>
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
    struct Row {
        const char* name;
        const char* part;
        std::size_t skip;
        const char* what;
    };
    for (const auto& row : {Row{"the page a pass waits for", "library/recipes/", 0, "recipes: planted"},
                            Row{"a page that is fetched ahead", "page=3", 0, ": planted"},
                            Row{"the canary before a pass", "libraries/current", 0, ": planted"}}) {
        INFO(row.name);
        LibraryBench bench(two_tables());
        bench.pass_time(1min);
        plant(bench, row.part, row.skip);
        bench.pass_time(16min);
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
        CHECK(std::none_of(bench.client.asked.begin() + static_cast<std::ptrdiff_t>(asked), bench.client.asked.end(),
                           [](const std::string& target) { return target.find("/api/v2/library/") == 0; }));
        for (const auto& table : app::report_library(*bench.unit, bench.clock.now()).resources) {
            CHECK_FALSE(table.running);
            CHECK(table.next_due == status.bug->again_at);
        }
    }
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

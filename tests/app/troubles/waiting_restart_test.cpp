// A library that is opened again after a bug while an exchange is under way, and one that joins a limit group while a
// sync waits.
#include "app/troubles/daemon_bench.hpp"
#include "support/catch.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

std::vector<std::string> states(const control::Status& status)
{
    std::vector<std::string> all;
    for (const auto& library : status.libraries) {
        all.push_back(library.name + " " + control::state_word(library));
    }
    return all;
}

// A sync that somebody waits for; its outcome once there is one.
struct WaitingSync {
    std::optional<Result<void>> outcome;

    WaitingSync(DaemonBench& bench, std::string library)
    {
        auto work = [this, &bench, library = std::move(library)]() -> asio::awaitable<void> {
            control::SyncRequest request;
            request.library = library;
            auto syncing = bench.operations().sync(std::move(request), [](const auto&) {});
            outcome.emplace(co_await std::move(syncing));
        };
        asio::co_spawn(bench.loop, work, asio::detached);
        bench.clock.settle();
    }
};

std::size_t rows_of(const DaemonBench& bench, std::size_t library)
{
    std::size_t rows = 0;
    for (const auto& table : bench.status().libraries.at(library).resources) {
        rows += table.rows;
    }
    return rows;
}

std::size_t requests(const DaemonBench& bench)
{
    const auto& asked = bench.client.asked;
    return static_cast<std::size_t>(std::count_if(
        asked.begin(), asked.end(), [](const auto& target) { return target.find("/api/") != std::string::npos; }));
}

}  // namespace

TEST_CASE("a library that begins again after a bug waits for its exchange, is listed meanwhile, and goes on by itself")
{
    DaemonBench bench;
    bench.pass_time(5min);
    const auto generation = bench.libraries().find("antwerp")->keeper().status().generation;
    sim::Fault slow;
    slow.path = "/oauth/token/";
    slow.library = DaemonBench::name_at_service("antwerp");
    slow.delay_after = 150s;
    bench.fail(slow);
    bench.world()->expire_access("lib01");
    while (!bench.libraries().find("antwerp")->keeper().exchange_in_flight()) {
        REQUIRE(bench.clock.advance_to_next());
    }
    const auto failed = bench.libraries().find("antwerp");
    failed->context().owner.failed("recipes", std::make_exception_ptr(std::logic_error("planted")));
    bench.clock.settle();
    REQUIRE(failed->bug());
    CHECK(states(bench.status()) == std::vector<std::string>{"antwerp bug", "ghent fresh"});
    const auto rows = bench.status().libraries.front().resources.front().rows;
    REQUIRE(failed->bug()->again_boot - bench.clock.boot_now() < 140s);
    bench.pass_time(failed->bug()->again_boot - bench.clock.boot_now() + 1s);

    REQUIRE(failed->keeper().exchange_in_flight());
    const auto status = bench.status();
    CHECK(states(status) == std::vector<std::string>{"antwerp restarting", "ghent fresh"});
    REQUIRE(status.libraries.front().restart);
    CHECK(status.libraries.front().restart->why == "after a bug");
    CHECK(status.libraries.front().resources.front().rows == rows);
    const WaitingSync refused(bench, "antwerp");
    REQUIRE(refused.outcome);
    REQUIRE_FALSE(*refused.outcome);
    CHECK(refused.outcome->error().kind() == ErrorKind::busy);
    CHECK(refused.outcome->error().text() ==
          "library antwerp is being opened again after a bug: try again in a moment");

    bench.pass_time(20min);
    CHECK(states(bench.status()) == std::vector<std::string>{"antwerp fresh", "ghent fresh"});
    CHECK_FALSE(bench.libraries().find("antwerp")->bug());
    CHECK(bench.libraries().find("antwerp")->keeper().status().generation == generation + 1);
    CHECK(bench.world()->audit_report().reuses_of_spent == 0);
    const WaitingSync again(bench, "antwerp");
    bench.pass_time(1min);
    REQUIRE(again.outcome);
    CHECK(*again.outcome);
}

TEST_CASE("a library that joins a limit group while a sync waits for its limit loses no row and exceeds no limit")
{
    constexpr std::size_t limit = 60;
    DaemonOptions options;
    options.world.rows = 5;
    options.rate_limit = "60/min";
    DaemonBench bench(options);
    bench.pass_time(5min);
    for (const auto* library : {"lib01", "lib02"}) {
        for (const auto* list : {"library/recipes", "library/ingredients"}) {
            bench.world()->edit(library, list, {.add_seeded = 1500});
        }
    }
    const WaitingSync of_antwerp(bench, "antwerp");
    const WaitingSync of_ghent(bench, "ghent");
    bench.pass_time(50s);
    REQUIRE_FALSE(of_antwerp.outcome);
    REQUIRE_FALSE(of_ghent.outcome);
    REQUIRE(rows_of(bench, 1) == 10);

    bench.options().of_library["ghent"] = "limit_group = \"antwerp\"\n";
    REQUIRE(bench.apply());
    bench.clock.settle();
    CHECK(&bench.libraries().find("antwerp")->limiter() == &bench.libraries().find("ghent")->limiter());
    // Its passes begin again; the sync of the other library waits on.
    REQUIRE(of_ghent.outcome);
    REQUIRE_FALSE(*of_ghent.outcome);
    CHECK(of_ghent.outcome->error().kind() == ErrorKind::busy);
    CHECK(of_ghent.outcome->error().text().find("try again in a moment") != std::string::npos);
    CHECK_FALSE(of_antwerp.outcome);

    std::vector<std::size_t> sent{requests(bench)};  // in all, by the second
    for (int second = 0; second < 20 * 60; ++second) {
        bench.pass_time(1s);
        sent.push_back(requests(bench));
    }
    std::size_t most = 0;
    for (std::size_t second = 59; second < sent.size(); ++second) {
        most = std::max(most, sent[second] - sent[second - 59]);
    }
    CHECK(most <= limit);
    CHECK(most > limit / 2);
    REQUIRE(of_antwerp.outcome);
    CHECK(*of_antwerp.outcome);
    CHECK(rows_of(bench, 0) == 2 * 1505);
    CHECK(rows_of(bench, 1) == 2 * 1505);
    CHECK(bench.world()->audit_report().throttled == 0);
}

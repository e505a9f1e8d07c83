// A reload that stops a library and opens it again, while the answer to a refresh stays out.
#include "app/troubles/daemon_bench.hpp"
#include "control/metrics/metrics.hpp"
#include "ctl/pages/check_text.hpp"
#include "ctl/status/status_view.hpp"
#include "support/catch.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <utility>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

constexpr const char* restarts = "is being opened again for a changed configuration: try again in a moment";

bool is_exchanging(DaemonBench& bench, const std::string& library)
{
    return bench.libraries().find(library)->keeper().exchange_in_flight();
}

// Until the refresh of that library is under way, whose answer comes minutes later.
void stall_refresh(DaemonBench& bench, const std::string& library)
{
    sim::Fault slow;
    slow.path = "/oauth/token/";
    slow.library = DaemonBench::name_at_service(library);
    slow.delay_after = 150s;
    bench.fail(slow);
    for (int minutes = 0; minutes < 20 * 24 * 60 && !is_exchanging(bench, library); ++minutes) {
        bench.pass_time(1min);
    }
    REQUIRE(is_exchanging(bench, library));
}

void change_both(DaemonBench& bench)
{
    for (const auto* library : {"antwerp", "ghent"}) {
        bench.options().of_library[library] = "note = \"changed\"\n";
    }
}

std::vector<std::string> states(const control::Status& status)
{
    std::vector<std::string> all;
    for (const auto& library : status.libraries) {
        all.push_back(library.name + " " + control::state_word(library));
    }
    return all;
}

std::string nagios(const DaemonBench& bench)
{
    const auto view = ctl::read_status(bench.json());
    REQUIRE(view);
    return ctl::check_text(*view, control::exit_code(*view));
}

asio::awaitable<Result<void>> sync_of(DaemonBench& bench, const std::string& library)
{
    control::SyncRequest request;
    request.library = library;
    return bench.operations().sync(std::move(request), [](const auto&) {});
}

template <typename T>
void check_busy(const Result<T>& outcome, const std::string& text)
{
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().kind() == ErrorKind::busy);
    CHECK(outcome.error().text() == text);
}

}  // namespace

TEST_CASE("a library that is opened again stays listed with what was known of it")
{
    DaemonBench bench;
    bench.pass_time(5min);
    REQUIRE(states(bench.status()) == std::vector<std::string>{"antwerp fresh", "ghent fresh"});
    // Of the two, the first one stops first: then the one waits for its own exchange, or is stopped and waits for the
    // other.
    stall_refresh(bench, GENERATE("antwerp", "ghent"));
    const auto before = bench.status();
    const auto calls = bench.calls.size();
    change_both(bench);
    bench.begin_reload();
    bench.pass_time(5s);
    REQUIRE_FALSE(bench.reloaded);
    REQUIRE(bench.libraries().units().empty());

    const auto status = bench.status();
    CHECK(states(status) == std::vector<std::string>{"antwerp restarting", "ghent restarting"});
    for (std::size_t i = 0; i < status.libraries.size(); ++i) {
        const auto& library = status.libraries[i];
        CHECK(library.restart->why == "for a changed configuration");
        CHECK(status.now - library.restart->since >= 5s);
        CHECK(library.mirror == before.libraries[i].mirror);
        REQUIRE(library.resources.size() == 2);
        CHECK(library.resources[0].rows == before.libraries[i].resources[0].rows);
        CHECK(library.resources[0].as_of == before.libraries[i].resources[0].as_of);
        CHECK_FALSE(library.resources[0].next_due);
    }
    CHECK(control::exit_code(status) == ExitCode::done);
    CHECK(control::headline(status).find("being opened again: antwerp, ghent; ") == 0);
    CHECK(bench.screen().find("antwerp  restarting ") != std::string::npos);
    CHECK(nagios(bench).find("SHELFD OK: being opened again: antwerp, ghent") == 0);
    CHECK(nagios(bench).find("libraries=2 tables=4") != std::string::npos);
    const auto metrics = control::to_metrics(status, {}, {});
    CHECK(metrics.find("shelfd_library_state{library=\"ghent\",state=\"restarting\"} 1") != std::string::npos);
    CHECK(metrics.find("shelfd_library_as_of_timestamp_seconds{library=\"antwerp\"}") != std::string::npos);

    bench.pass_time(5min);
    REQUIRE(bench.reloaded);
    REQUIRE(*bench.reloaded);
    CHECK(states(bench.status()) == std::vector<std::string>{"antwerp fresh", "ghent fresh"});
    CHECK(bench.status().libraries.front().note == "changed");
    CHECK(bench.world()->audit_report().reuses_of_spent == 0);
    CHECK(bench.calls.size() == calls);
}

TEST_CASE("a table becomes late while its library is opened again")
{
    DaemonBench bench;
    bench.pass_time(5min);
    stall_refresh(bench, "ghent");
    change_both(bench);
    const auto late_at = bench.status().libraries.front().resources.front().late_at;
    REQUIRE(late_at);
    bench.begin_reload();
    REQUIRE_FALSE(bench.reloaded);
    bench.clock.step_wall(*late_at - bench.clock.now() + 1min);
    CHECK(bench.status().libraries.front().resources.front().state == control::State::late);
    CHECK(control::exit_code(bench.status()) == ExitCode::failed);
}

TEST_CASE("who wants something of a library that is opened again is told to try again")
{
    DaemonBench bench;
    bench.pass_time(5min);
    stall_refresh(bench, "antwerp");
    bench.options().of_library["antwerp"] = "note = \"changed\"\n";
    bench.begin_reload();
    const auto text = std::string("library antwerp ") + restarts;
    auto& operations = bench.operations();
    check_busy(bench.clock.run(sync_of(bench, "antwerp")), text);
    check_busy(bench.clock.run(operations.get({"antwerp", "/api/v2/library/recipes/"})), text);
    check_busy(bench.clock.run(operations.forget({"antwerp"})), text);
    check_busy(bench.clock.run(operations.remove_library({"antwerp"})), text);
    // All libraries: the others are synced first.
    const auto passes = bench.status().libraries.back().resources.front().passes;
    check_busy(bench.clock.run(sync_of(bench, "")), text);
    CHECK(bench.status().libraries.back().resources.front().passes == passes + 1);
    REQUIRE_FALSE(bench.reloaded);
    bench.pass_time(5min);
    REQUIRE(bench.reloaded);
    CHECK(bench.clock.run(sync_of(bench, "antwerp")));
}

TEST_CASE("who waits for a pass of a library that is opened again is told to try again")
{
    DaemonBench bench;
    bench.pass_time(5min);
    sim::Fault slow;
    slow.path = "/api/v2/library/recipes/";
    slow.library = DaemonBench::name_at_service("antwerp");
    slow.delay = 20s;
    bench.fail(slow);
    std::optional<Result<void>> synced;
    auto syncing = [&]() -> asio::awaitable<void> {
        auto work = sync_of(bench, "antwerp");
        synced.emplace(co_await std::move(work));
    };
    asio::co_spawn(bench.loop, syncing(), asio::detached);
    bench.pass_time(5s);
    REQUIRE_FALSE(synced);
    bench.options().of_library["antwerp"] = "note = \"changed\"\n";
    bench.begin_reload();
    bench.pass_time(1min);
    REQUIRE(bench.reloaded);
    REQUIRE(synced);
    check_busy(*synced, std::string("library antwerp ") + restarts);
}

TEST_CASE("a library that a reload removes is not listed while it stops")
{
    DaemonBench bench;
    bench.pass_time(5min);
    stall_refresh(bench, "antwerp");
    bench.options().libraries = {"ghent"};
    bench.begin_reload();
    REQUIRE_FALSE(bench.reloaded);
    CHECK(states(bench.status()) == std::vector<std::string>{"ghent fresh"});
    const auto refused = bench.clock.run(sync_of(bench, "antwerp"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind() == ErrorKind::not_found);
    bench.pass_time(5min);
    REQUIRE(bench.reloaded);
}

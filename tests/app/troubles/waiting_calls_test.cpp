// Calls that wait while the daemon is started again.
#include "app/troubles/daemon_bench.hpp"
#include "support/catch.hpp"

#include <algorithm>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

using Events = std::vector<std::string>;

// "EVENT SEVERITY" of each call for that cause.
Events events(const DaemonBench& bench, const std::string& cause)
{
    Events found;
    for (const auto& call : bench.calls) {
        if (call.text("cause") == cause) {
            found.push_back(call.text("event") + " " + call.text("severity"));
        }
    }
    return found;
}

const DaemonBench::Call& first_call(const DaemonBench& bench, const std::string& cause)
{
    const auto found = std::find_if(bench.calls.begin(), bench.calls.end(),
                                    [&](const auto& call) { return call.text("cause") == cause; });
    REQUIRE(found != bench.calls.end());
    return *found;
}

void revoke(DaemonBench& bench)
{
    auto world = bench.world();
    const auto number = world->tokens.count_of_sets(world->number_of(world->library("lib01"))) - 1;
    world->tokens.revoke_set(world->set("lib01", number));
}

void wait_for_foreign(DaemonBench& bench)
{
    for (int second = 0; second < 3600; ++second) {
        if (bench.status().libraries.front().token.state == TokenState::foreign) {
            return;
        }
        bench.pass_time(1s);
    }
    FAIL("the set was not refused");
}

}  // namespace

TEST_CASE("a restart between a revoked set and the delivery of its call changes nothing about the call")
{
    DaemonBench bench;
    bench.pass_time(20min);
    revoke(bench);
    bench.pager_answers = 503;
    wait_for_foreign(bench);
    SECTION("killed before the cause was looked at") {}
    SECTION("stopped while the call waits")
    {
        bench.pass_time(1min);
    }
    bench.stop();
    bench.pager_answers = 200;
    bench.start();
    bench.pass_time(30min);
    INFO(bench.screen());
    CHECK(events(bench, "foreign_rotation") == Events{"opened page"});
    const auto& call = first_call(bench, "foreign_rotation");
    INFO(call.body);
    CHECK(call.body.find("\"recipes\"") != std::string::npos);
    CHECK(call.body.find("\"ingredients\"") != std::string::npos);
    REQUIRE(call.has("deadline"));
    const auto deadline = Instant::from_rfc3339(call.text("deadline"));
    REQUIRE(deadline);
    CHECK(*deadline <= call.at);  // syncing has stopped
}

TEST_CASE("after a start with a refused set one table asks whether its access token works, whatever the schedules say")
{
    DaemonOptions options;
    options.libraries = {"antwerp"};
    options.resources = "[resource.recipes]\npath = \"/api/v2/library/recipes/\"\nevery = \"6h\"\n"
                        "[resource.ingredients]\npath = \"/api/v2/library/ingredients/\"\nevery = \"6h\"\n";
    DaemonBench bench(options);
    bench.pass_time(1h);
    sim::Fault refused;
    refused.path = "/oauth/token/";
    refused.times = std::nullopt;
    refused.acts = false;
    refused.status = 400;
    refused.body = R"({"error":"invalid_grant"})";
    refused.content_type = "application/json";
    bench.fail(refused);
    const auto set = [&bench] { return bench.status().libraries.front().token; };
    for (int hour = 0; hour < 24 * 6 && set().state != TokenState::foreign; ++hour) {
        bench.pass_time(1h);
    }
    INFO(bench.screen());
    REQUIRE(set().state == TokenState::foreign);
    REQUIRE(set().access_usable);
    for (int hour = 0; hour < 7; ++hour) {  // a pass of each table is just over
        bench.pass_time(1h);
    }
    bench.stop();
    const auto requests = [&bench](const std::string& list) {
        return bench.world()->audit_report().count("GET", "/api/v2/library/" + list + "/");
    };
    const auto recipes = requests("recipes");
    const auto ingredients = requests("ingredients");
    bench.start();
    bench.pass_time(10s);
    REQUIRE(set().access_usable);
    CHECK(requests("recipes") > recipes);
    CHECK(requests("ingredients") == ingredients);
}

TEST_CASE("a set that was imported right before a stop leaves no incident after the start")
{
    DaemonBench bench;
    bench.pass_time(5min);
    REQUIRE(bench.clock.run(bench.operations().forget({"antwerp"})));
    bench.pass_time(10min);
    REQUIRE(events(bench, "token_lost") == Events{"opened ticket"});
    REQUIRE(bench.import_set());
    bench.stop();
    bench.start();
    bench.pass_time(1min);
    for (const auto& incident : bench.operations().alerts().incidents) {
        INFO(incident.why);
        CHECK(incident.cause != "token_lost");
    }
    CHECK(events(bench, "token_lost") == Events{"opened ticket", "recovered ticket"});
}

TEST_CASE("the status, the list of incidents and the call name the same begin and deadline of a pause, over a restart")
{
    DaemonBench bench;
    bench.pass_time(20min);
    sim::Fault fault;
    fault.path = "/api/";
    fault.times = std::nullopt;
    fault.acts = false;
    fault.status = 429;
    fault.body = R"({"detail":"Request was throttled."})";
    fault.content_type = "application/json";
    fault.headers = {{"Retry-After", "7200"}};
    bench.fail(fault);
    for (int minute = 0; minute < 90 && events(bench, "limit").empty(); ++minute) {
        bench.pass_time(1min);
    }
    const auto check_begin = [&bench](const std::string& where) {
        INFO(where);
        const auto problems = bench.status().problems;
        const auto problem = std::find_if(problems.begin(), problems.end(), [](const auto& one) {
            return one.kind == control::CauseKind::limit && one.affected.front().library == "antwerp";
        });
        REQUIRE(problem != problems.end());
        const auto incidents = bench.operations().alerts().incidents;
        const auto incident =
            std::find_if(incidents.begin(), incidents.end(), [](const auto& one) { return one.cause == "limit"; });
        REQUIRE(incident != incidents.end());
        REQUIRE(problem->since);
        // Of two tables that the same answer stopped, one says so a moment before the other.
        const auto is_same = [](Instant one, Instant other) { return std::chrono::abs(one - other) <= 1s; };
        const auto called = Instant::from_rfc3339(first_call(bench, "limit").text("since"));
        REQUIRE(called);
        CHECK(is_same(*called, incident->since));
        CHECK(is_same(*problem->since, incident->since));
        CHECK(problem->affected.front().tables == std::vector<std::string>{"recipes", "ingredients"});
        CHECK(problem->affected.front().deadline);
        return problem->affected.front().deadline;
    };
    const auto before = check_begin("before");
    bench.stop();
    bench.start();
    bench.pass_time(1min);
    const auto after = check_begin("after");
    REQUIRE(before);
    REQUIRE(after);
    CHECK(after->seconds() == before->seconds());
}

TEST_CASE("sets that are missing in many libraries are one call, and one more when the last of them is there")
{
    DaemonOptions options;
    options.libraries = {"antwerp", "lib2", "lib10", "lib11"};
    DaemonBench bench(options);
    bench.pass_time(20min);
    for (const auto& library : options.libraries) {
        REQUIRE(bench.clock.run(bench.operations().forget({library})));
    }
    bench.pass_time(10min);
    INFO(bench.screen());
    REQUIRE(events(bench, "token_lost") == Events{"opened ticket"});
    CHECK(first_call(bench, "token_lost").body.find(R"("libraries":["antwerp","lib2","lib10","lib11"])") !=
          std::string::npos);
    for (const auto& library : options.libraries) {
        CHECK(events(bench, "token_lost") == Events{"opened ticket"});
        REQUIRE(bench.import_set(library));
        bench.pass_time(5min);
    }
    CHECK(events(bench, "token_lost") == Events{"opened ticket", "recovered ticket"});
}

TEST_CASE("schedules that need more than the limit are said, and called for, while all tables are still fresh")
{
    DaemonOptions options;
    options.libraries = {"antwerp"};
    options.world.rows = 5;
    options.rate_limit = "6/min";
    options.resources =
        "[resource.recipes]\npath = \"/api/v2/library/recipes/\"\nevery = \"30s\"\nlate_after = \"12h\"\n"
        "[resource.ingredients]\npath = \"/api/v2/library/ingredients/\"\nevery = \"10s\"\n"
        "late_after = \"12h\"\n";
    DaemonBench bench(options);
    bench.pass_time(5min);
    INFO(bench.screen());
    const auto status = bench.status();
    for (const auto& table : status.libraries.front().resources) {
        CHECK(table.state == control::State::fresh);
    }
    CHECK(control::exit_code(status) == ExitCode::failed);
    CHECK(bench.screen().find("requests a minute, and the limit is 6") != std::string::npos);
    CHECK(bench.screen().find("shelfctl plan antwerp") != std::string::npos);
    bench.pass_time(10min);
    CHECK(events(bench, "schedule") == Events{"opened ticket"});
    bench.options().resources = "[resource.recipes]\npath = \"/api/v2/library/recipes/\"\nevery = \"15m\"\n";
    REQUIRE(bench.apply());
    bench.pass_time(5min);
    CHECK(events(bench, "schedule") == Events{"opened ticket", "recovered ticket"});
    CHECK(control::exit_code(bench.status()) == ExitCode::done);
}

TEST_CASE("the time that a first load has left is never shorter than the time until its next request")
{
    DaemonOptions options;
    options.libraries = {"antwerp"};
    options.world.rows = 200;
    options.rate_limit = "6/min";
    DaemonBench bench(options);
    std::size_t waits = 0;
    for (int second = 0; second < 180; ++second) {
        bench.pass_time(1s);
        const auto status = bench.status();
        for (const auto& table : status.libraries.front().resources) {
            if (table.running && table.running->next_request_at) {
                ++waits;
                CHECK(table.running->limit == "6 requests a minute");
                CHECK(table.running->eta.value_or(24h) >= *table.running->next_request_at - status.now);
            }
        }
    }
    CHECK(waits > 0);
}

// What hooks hear of trouble that comes while other trouble lasts.
#include "app/troubles/daemon_bench.hpp"
#include "support/catch.hpp"

#include <algorithm>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

sim::Fault at_list(const std::string& list, const std::string& library, int status, std::string body)
{
    sim::Fault fault;
    fault.path = "/api/v2/library/" + list + "/";
    fault.library = library;
    fault.times = std::nullopt;
    fault.acts = false;
    fault.status = status;
    fault.body = std::move(body);
    fault.content_type = "application/json";
    return fault;
}

// "EVENT" of each call for that cause.
std::vector<std::string> events(const DaemonBench& bench, const std::string& cause)
{
    std::vector<std::string> found;
    for (const auto& call : bench.calls) {
        if (call.text("cause") == cause) {
            found.push_back(call.text("event"));
        }
    }
    return found;
}

using Events = std::vector<std::string>;

}  // namespace

TEST_CASE("a list that is wrong in another way in another library is an incident of its own, after a restart, too")
{
    DaemonBench bench;
    bench.pass_time(20min);
    bench.fail(at_list("ingredients", "lib02", 404, R"({"detail":"Not found."})"));
    bench.pass_time(1h);
    REQUIRE(events(bench, "configuration") == Events{"opened"});
    CHECK(bench.calls.back().text("text").find("ghent ingredients") != std::string::npos);
    bench.fail(at_list("ingredients", "lib01", 200, R"([{"id":1,"name":"salt"}])"));
    bench.pass_time(40min);
    INFO(bench.screen());
    REQUIRE(events(bench, "configuration") == Events{"opened", "opened"});
    CHECK(bench.calls.back().text("text").find("antwerp ingredients") != std::string::npos);
    CHECK(bench.calls.back().text("incident") != bench.calls.front().text("incident"));
    bench.stop();
    bench.start();
    bench.pass_time(1h);
    CHECK(events(bench, "configuration") == Events{"opened", "opened"});
    bench.world()->faults.clear();
    bench.pass_time(2h);
    CHECK(events(bench, "configuration") == Events{"opened", "opened", "recovered", "recovered"});
}

TEST_CASE("another list that the service refuses joins the incident of its library, and is told")
{
    DaemonBench bench;
    bench.pass_time(20min);
    bench.fail(at_list("recipes", "lib01", 403, R"({"detail":"no"})"));
    bench.pass_time(40min);
    REQUIRE(events(bench, "permission") == Events{"opened"});
    bench.fail(at_list("ingredients", "lib01", 403, R"({"detail":"no"})"));
    bench.pass_time(40min);
    REQUIRE(events(bench, "permission") == Events{"opened", "changed"});
    const auto& changed = bench.calls.back();
    const auto first = std::find_if(bench.calls.begin(), bench.calls.end(),
                                    [](const auto& call) { return call.text("cause") == "permission"; });
    CHECK(changed.text("incident") == first->text("incident"));
    CHECK(changed.text("text").find("[ticket changed] antwerp") == 0);
    CHECK(changed.text("text").find("ingredients") != std::string::npos);
    bench.world()->faults.clear();
    bench.pass_time(3h);
    CHECK(events(bench, "permission") == Events{"opened", "changed", "recovered"});
}

TEST_CASE("a list that the service refuses to many libraries is one call, and one more when the last of them is well")
{
    DaemonOptions options;
    options.libraries = {"antwerp", "lib2", "lib10", "lib11"};  // all but the first are lib02 of the service
    DaemonBench bench(options);
    bench.pass_time(20min);
    for (const auto* library : {"lib01", "lib02"}) {
        bench.fail(at_list("recipes", library, 403, R"({"detail":"no"})"));
    }
    bench.pass_time(40min);
    INFO(bench.screen());
    REQUIRE(events(bench, "permission") == Events{"opened"});
    const auto status = bench.status();
    const auto problem = std::find_if(status.problems.begin(), status.problems.end(),
                                      [](const auto& one) { return one.kind == control::CauseKind::permission; });
    REQUIRE(problem != status.problems.end());
    CHECK(std::count_if(status.problems.begin(), status.problems.end(),
                        [](const auto& one) { return one.kind == control::CauseKind::permission; }) == 1);
    CHECK(bench.screen().find(problem_id(*problem)) != std::string::npos);
    const auto call = std::find_if(bench.calls.begin(), bench.calls.end(),
                                   [](const auto& one) { return one.text("cause") == "permission"; });
    CHECK(call->text("incident") == problem->incident);
    CHECK(call->body.find(R"("libraries":["antwerp","lib2","lib10","lib11"])") != std::string::npos);
    bench.world()->faults.clear();
    bench.fail(at_list("recipes", "lib01", 403, R"({"detail":"no"})"));
    bench.pass_time(3h);
    CHECK(events(bench, "permission") == Events{"opened"});
    bench.world()->faults.clear();
    bench.pass_time(3h);
    CHECK(events(bench, "permission") == Events{"opened", "recovered"});
}

TEST_CASE("a page that names the library and is gone is one incident for all lists and libraries, after a restart, too")
{
    DaemonBench bench;
    bench.pass_time(20min);
    for (const auto* library : {"lib01", "lib02"}) {
        auto gone = at_list("", library, 404, R"({"detail":"Not found."})");
        gone.path = "/api/v2/accounts/libraries/current/";
        bench.fail(std::move(gone));
    }
    bench.pass_time(1h);
    INFO(bench.screen());
    CHECK(events(bench, "identity") == Events{"opened"});
    CHECK(events(bench, "configuration").empty());
    bench.stop();
    bench.start();
    bench.pass_time(1h);
    CHECK(events(bench, "identity") == Events{"opened"});
    CHECK(events(bench, "configuration").empty());
    bench.world()->faults.clear();
    bench.pass_time(2h);
    CHECK(events(bench, "identity") == Events{"opened", "recovered"});
}

// Libraries whose token sets are one user's: the service counts their requests together.
#include "app/troubles/daemon_bench.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <utility>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

constexpr std::uint32_t limit = 60;
constexpr auto page_with_user =
    "identity = { path = \"/api/v2/accounts/libraries/current/\", field = \"id\", user_field = \"user.id\" }\n";

DaemonOptions one_user()
{
    DaemonOptions options;
    options.world.rows = 5;
    options.world.throttle = {.limit = limit};
    options.rate_limit = std::to_string(limit) + "/min";
    options.identity = page_with_user;
    options.prepare = [](sim::World& world) {
        world.identity_names_user = true;
        world.library("lib02").user = 0;
    };
    return options;
}

// Until the libraries were opened again with the limit that they share.
struct Bench : DaemonBench {
    explicit Bench(DaemonOptions options) : DaemonBench(std::move(options)) { pass_time(1min); }
};

// 75 pages more in each of the two lists of both libraries.
void let_lists_grow(DaemonBench& bench)
{
    for (const auto* library : {"lib01", "lib02"}) {
        for (const auto* list : {"library/recipes", "library/ingredients"}) {
            bench.world()->edit(library, list, {.add_seeded = 1500});
        }
    }
}

std::size_t logged(const DaemonBench& bench, const std::string& part)
{
    return static_cast<std::size_t>(
        std::count_if(bench.log_lines.begin(), bench.log_lines.end(),
                      [&](const auto& line) { return line.find(part) != std::string::npos; }));
}

bool share_limiter(DaemonBench& bench)
{
    return &bench.libraries().find("antwerp")->limiter() == &bench.libraries().find("ghent")->limiter();
}

const control::BudgetStatus& budget_of(const control::Status& status, const std::string& library)
{
    const auto is_it = [&library](const auto& one) { return one.name == library; };
    return std::find_if(status.libraries.begin(), status.libraries.end(), is_it)->budget;
}

std::size_t rows_of(const DaemonBench& bench, const std::string& library)
{
    const auto status = bench.status();
    std::size_t rows = 0;
    for (const auto& one : status.libraries) {
        for (const auto& table : one.resources) {
            rows += one.name == library ? table.rows : 0;
        }
    }
    return rows;
}

}  // namespace

TEST_CASE("two libraries of one user join one limit by themselves and never exceed it together")
{
    Bench bench(one_user());
    CHECK(share_limiter(bench));
    CHECK(logged(bench, "antwerp and ghent are one user of https://service.test (1042), whose requests the service "
                        "counts together: they share one limit, 60 requests a minute") == 1);
    const auto status = bench.status();
    for (const auto* library : {"antwerp", "ghent"}) {
        const auto& budget = budget_of(status, library);
        CHECK(budget.group == "antwerp");
        CHECK(budget.user == "1042");
        CHECK(budget.libraries == std::vector<std::string>{"antwerp", "ghent"});
    }
    CHECK(bench.screen().find("antwerp and ghent are one user of https://service.test (1042) and share one limit "
                              "(antwerp): 60 requests a minute") != std::string::npos);
    CHECK(bench.json().find(R"("user":"1042","libraries":["antwerp","ghent"])") != std::string::npos);

    bench.pass_time(10min);
    let_lists_grow(bench);
    bench.pass_time(1h);
    const auto report = bench.world()->audit_report();
    CHECK(report.throttled == 0);
    CHECK(report.busiest_minute.at("lib01") <= limit);
    CHECK(report.busiest_minute.at("lib01") > limit / 2);
    CHECK(rows_of(bench, "antwerp") == 2 * 1505);
    CHECK(rows_of(bench, "ghent") == 2 * 1505);
}

TEST_CASE("where nothing names the user, the service refuses what two limits allow together")
{
    auto options = one_user();
    options.identity = "identity = { path = \"/api/v2/accounts/libraries/current/\", field = \"id\" }\n";
    Bench bench(options);
    CHECK_FALSE(share_limiter(bench));
    bench.pass_time(10min);
    let_lists_grow(bench);
    bench.pass_time(20min);
    CHECK(bench.world()->audit_report().throttled > 0);
}

TEST_CASE("libraries that were found to be one user share their limit after a restart before a canary has answered")
{
    Bench bench(one_user());
    bench.pass_time(20min);
    const auto used = budget_of(bench.status(), "ghent").used;
    bench.stop();
    sim::Fault down;
    down.path = "/api/v2/";
    down.times = std::nullopt;
    down.acts = false;
    down.status = 503;
    bench.fail(down);
    bench.start();
    CHECK(share_limiter(bench));
    CHECK(budget_of(bench.status(), "antwerp").user == "1042");
    CHECK(budget_of(bench.status(), "antwerp").used >= used);
    CHECK(logged(bench, "antwerp and ghent are one user of") == 2);
}

TEST_CASE("a library that answers as another user parts from the limit, and joins again with its user")
{
    Bench bench(one_user());
    bench.pass_time(20min);
    bench.world()->library("lib02").user.reset();
    bench.pass_time(20min);
    CHECK_FALSE(share_limiter(bench));
    CHECK(logged(bench, "ghent shares its request limit with no other library any more") == 1);
    CHECK(budget_of(bench.status(), "ghent").user.empty());
    CHECK(budget_of(bench.status(), "ghent").libraries.empty());
    CHECK(bench.screen().find("are one user") == std::string::npos);
    bench.world()->library("lib02").user = 0;
    bench.pass_time(20min);
    CHECK(share_limiter(bench));
    CHECK(bench.world()->audit_report().throttled == 0);
}

TEST_CASE("the smallest rate_limit of libraries of one user applies to all of them, and a reload says so")
{
    auto options = one_user();
    options.of_library["ghent"] = "rate_limit = \"30/min\"\n";
    Bench bench(options);
    REQUIRE(share_limiter(bench));
    CHECK(bench.libraries().find("antwerp")->limiter().status().limit == 30);
    const auto budget = budget_of(bench.status(), "antwerp");
    CHECK(budget.limit == 30);
    CHECK(budget.configured == 60);
    CHECK(budget.narrowed_by == "a library of the same user has a lower rate_limit");
    bench.options().of_library["ghent"] = "rate_limit = \"40/min\"\n";
    const auto report = bench.apply();
    REQUIRE(report);
    CHECK(std::find(report->changes.begin(), report->changes.end(), "library antwerp has another request limit") !=
          report->changes.end());
    CHECK(report->changes.back().find("they share one limit, 40 requests a minute") != std::string::npos);
    CHECK(bench.libraries().find("antwerp")->limiter().status().limit == 40);
}

TEST_CASE("libraries of one user with limit groups of their own keep them, and the status says what that means")
{
    auto options = one_user();
    options.of_library["ghent"] = "limit_group = \"tills\"\n";
    Bench bench(options);
    CHECK_FALSE(share_limiter(bench));
    const auto status = bench.status();
    const auto is_hint = [](const auto& notice) {
        return notice.text.starts_with("antwerp (limit_group antwerp) and ghent (limit_group tills) are one user of ");
    };
    const auto notices = bench.notices();
    CHECK(std::count_if(notices.begin(), notices.end(), is_hint) == 1);
    CHECK(control::exit_code(status) != ExitCode::needs_person);
    CHECK(status.problems.empty());
    // Without the key they join at once: their user is known.
    bench.options().of_library.clear();
    REQUIRE(bench.apply());
    CHECK(share_limiter(bench));
}

TEST_CASE("introspection names the user where no page does, and a member that is not there is said")
{
    auto options = one_user();
    options.identity = "identity = { path = \"/api/v2/accounts/libraries/current/\", field = \"id\" }\n"
                       "introspection_path = \"/oauth/introspect/\"\n";
    Bench bench(options);
    CHECK(share_limiter(bench));
    CHECK(budget_of(bench.status(), "ghent").user == "lib01");

    bench.options().identity =
        "identity = { path = \"/api/v2/accounts/libraries/current/\", field = \"id\", user_field = \"owner.id\" }\n";
    REQUIRE(bench.apply());
    bench.pass_time(20min);
    const auto notices = bench.notices();
    CHECK(std::any_of(notices.begin(), notices.end(), [](const auto& notice) {
        return notice.text.find("has no usable member owner.id (identity.user_field)") != std::string::npos;
    }));
}

// Troubles of several libraries at one service, and what the status says of tables while a set dies.
#include "app/troubles/daemon_bench.hpp"
#include "storage/sqlite.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <filesystem>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

DaemonOptions with_lifetime(std::chrono::seconds lifetime)
{
    DaemonOptions options;
    options.world.tokens.expires_in = lifetime;
    return options;
}

const control::Cause* cause_of(const control::Status& status, const std::string& library)
{
    const auto found = std::find_if(status.problems.begin(), status.problems.end(), [&](const auto& problem) {
        return std::any_of(problem.affected.begin(), problem.affected.end(),
                           [&](const auto& one) { return one.library == library; });
    });
    return found == status.problems.end() ? nullptr : &*found;
}

void close_to_all(DaemonBench& bench, const std::string& path)
{
    sim::Fault fault;
    fault.path = path;
    fault.times = std::nullopt;
    fault.acts = false;
    fault.status = 502;
    fault.body = "bad gateway";
    fault.content_type = "text/plain";
    bench.fail(fault);
}

std::string state_in_sql(const DaemonBench& bench)
{
    auto database = storage::Database::open(bench.mirror(), storage::OpenMode::read_only);
    REQUIRE(database);
    auto query = database->prepare("SELECT state FROM freshness WHERE resource = 'recipes'");
    REQUIRE(query);
    REQUIRE(query->step());
    return std::string(query->text(0));
}

}  // namespace

TEST_CASE("two sets of one service that cannot be refreshed for different reasons are two causes, each with its cure")
{
    DaemonBench bench(with_lifetime(24h));
    bench.pass_time(20min);
    std::filesystem::remove(bench.files / "secret_antwerp");
    sim::Fault gone;
    gone.path = "/oauth/token/";
    gone.library = "lib02";
    gone.times = std::nullopt;
    gone.acts = false;
    gone.status = 404;
    gone.body = "<!doctype html><title>Not found</title>";
    gone.content_type = "text/html";
    bench.fail(gone);
    for (int i = 0; i < 60 && !(cause_of(bench.status(), "antwerp") && cause_of(bench.status(), "ghent")); ++i) {
        bench.pass_time(1h);
    }
    INFO(bench.screen());
    const auto status = bench.status();
    const auto* const antwerp = cause_of(status, "antwerp");
    const auto* const ghent = cause_of(status, "ghent");
    REQUIRE(antwerp != nullptr);
    REQUIRE(ghent != nullptr);
    CHECK(antwerp->key != ghent->key);
    CHECK(antwerp->affected.front().do_this == "make the client secret readable for the daemon, then: shelfctl reload");
    CHECK(ghent->affected.front().why.find("secret") == std::string::npos);
    CHECK(ghent->affected.front().do_this.find("secret readable") == std::string::npos);
}

TEST_CASE("an outage that outlives the tokens began with the first failure, and nobody is asked to end it")
{
    DaemonBench bench(with_lifetime(30min));
    bench.pass_time(33min);
    close_to_all(bench, "/");
    const auto began = bench.clock.now();
    bench.pass_time(35min);
    INFO(bench.screen());
    const auto status = bench.status();
    const auto* const cause = cause_of(status, "antwerp");
    REQUIRE(cause != nullptr);
    REQUIRE_FALSE(status.libraries.front().token.access_usable);
    CHECK(cause->kind == control::CauseKind::service);
    CHECK(cause->severity == control::Severity::info);
    CHECK(cause->affected.front().do_this.empty());
    REQUIRE(cause->since);
    CHECK(*cause->since >= began);
    CHECK(*status.libraries.front().token.since >= began);
    CHECK(control::headline(status).find("the service fails") != std::string::npos);
}

TEST_CASE("a token acts on another library since the canary has said so")
{
    DaemonBench bench;
    bench.pass_time(20min);
    const auto switched = bench.clock.now();
    {
        auto world = bench.world();
        auto& set = world->set("lib01", world->tokens.count_of_sets(world->number_of(world->library("lib01"))) - 1);
        set.acts_on = 1;
    }
    bench.pass_time(20min);
    const auto status = bench.status();
    INFO(bench.screen());
    REQUIRE(status.libraries.front().token.state == TokenState::wrong_library);
    CHECK(*status.libraries.front().token.since > switched);
    REQUIRE(cause_of(status, "antwerp") != nullptr);
    CHECK(*cause_of(status, "antwerp")->since > switched);
}

TEST_CASE("tables need a person from the moment at which the set dies, whenever their next pass is due")
{
    DaemonBench bench(with_lifetime(40min));
    REQUIRE(bench.import_set("antwerp", control::Sealing::access_only));
    bench.pass_time(39min);
    REQUIRE(state_in_sql(bench) == "fresh");
    const auto expires = bench.status().libraries.front().token.expires_at;
    REQUIRE(expires);
    bench.pass_time(*expires - bench.clock.now() + 2s);
    const auto status = bench.status();
    INFO(bench.screen());
    const auto& library = status.libraries.front();
    CHECK(library.token.state == TokenState::ended);
    CHECK(library.token.since == expires);
    for (const auto& table : library.resources) {
        CHECK(table.state == control::State::needs_person);
        CHECK(table.why.find("the access token has expired, and there is no refresh token") != std::string::npos);
    }
    CHECK(state_in_sql(bench) == "needs_person");
    REQUIRE(bench.import_set());
    bench.pass_time(1min);
    CHECK(state_in_sql(bench) == "fresh");
    CHECK(control::exit_code(bench.status()) == ExitCode::done);
}

TEST_CASE("what is over before a hook is called is not told to it")
{
    DaemonBench bench;
    bench.options().more = "[hooks.slow]\npost = \"https://pager.test/in\"\nafter = \"30s\"\n";
    bench.reload();
    bench.pass_time(20min);
    bench.calls.clear();
    REQUIRE(bench.clock.run(bench.operations().forget({"antwerp"})));
    bench.pass_time(25s);
    REQUIRE(bench.import_set());
    bench.pass_time(10min);
    for (const auto& call : bench.calls) {
        INFO(call.body);
        CHECK(call.text("hook") != "slow");
    }
}

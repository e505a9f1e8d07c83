#include "control/causes/looked_at.hpp"

#include "control/sample_status.hpp"
#include "support/catch.hpp"

namespace shelfd::control {
namespace {

using namespace std::chrono_literals;

Status running_for(Duration length)
{
    auto status = fresh_status();
    status.started = sample_now - length;
    return status;
}

bool is_looked_at(CauseKind kind, const Status& status, std::vector<std::string> tables = {},
                  std::string library = "antwerp")
{
    Cause cause;
    cause.kind = kind;
    Affected affected;
    affected.library = std::move(library);
    affected.tables = std::move(tables);
    return control::is_looked_at(cause, affected, status);
}

TEST_CASE("trouble of tables is looked at when a pass over each of them has succeeded since the start")
{
    auto status = running_for(1min);
    const std::vector<std::string> both = {"recipes", "stock"};
    auto& tables = status.libraries[0].resources;
    CHECK_FALSE(is_looked_at(CauseKind::disk, status, both));
    tables[0].passes = 1;
    CHECK_FALSE(is_looked_at(CauseKind::disk, status, both));
    CHECK(is_looked_at(CauseKind::disk, status, {"recipes"}));
    CHECK(is_looked_at(CauseKind::disk, status, {"recipes", "no_longer_there"}));
    tables[1].passes = 2;
    tables[1].passes_failed = 2;
    CHECK_FALSE(is_looked_at(CauseKind::disk, status, both));
    tables[1].passes_failed = 1;
    CHECK(is_looked_at(CauseKind::disk, status, both));
    tables[1].passes = 0;
    tables[1].passes_failed = 0;
    tables[1].state = State::paused;
    CHECK(is_looked_at(CauseKind::disk, status, both));
    CHECK_FALSE(is_looked_at(CauseKind::disk, status, both, "a_library_that_is_not_open_yet"));
    status.libraries[0].restart.emplace();
    CHECK_FALSE(is_looked_at(CauseKind::disk, status, both));
}

TEST_CASE("trouble of a token set is looked at when the set was refreshed since the start")
{
    auto status = running_for(10min);
    status.libraries[0].resources[0].passes = 3;
    auto& token = status.libraries[0].token;
    token.last_refresh = sample_now - 11min;
    CHECK_FALSE(is_looked_at(CauseKind::refresh, status, {"recipes"}));
    token.last_refresh = sample_now - 9min;
    CHECK(is_looked_at(CauseKind::refresh, status, {"recipes"}));
}

TEST_CASE("a set that was issued after its trouble began shows that the trouble is over, also right after a start")
{
    auto status = running_for(10s);
    Cause cause;
    cause.kind = CauseKind::token_lost;
    Affected affected;
    affected.library = "antwerp";
    affected.since = sample_now - 1h;
    auto& token = status.libraries[0].token;
    token.last_refresh = sample_now - 2h;
    CHECK_FALSE(control::is_looked_at(cause, affected, status));
    token.last_refresh = sample_now - 30min;
    CHECK(control::is_looked_at(cause, affected, status));
    affected.since.reset();
    CHECK_FALSE(control::is_looked_at(cause, affected, status));
}

TEST_CASE("a library has reported once each pass that is due has ended, brought rows, or stands still")
{
    auto library = fresh_status().libraries[0];
    CHECK(has_reported(library, sample_now));  // the next passes are due later
    auto& table = library.resources[1];
    table.next_due = sample_now;
    CHECK_FALSE(has_reported(library, sample_now));
    table.running.emplace();
    CHECK_FALSE(has_reported(library, sample_now));
    SECTION("it brings rows")
    {
        table.running->rows = 20;
    }
    SECTION("it stands still")
    {
        table.running->stands_still = true;
    }
    SECTION("it has ended")
    {
        table.passes = 1;
        table.passes_failed = 1;
    }
    SECTION("the table is paused")
    {
        table.state = State::paused;
    }
    SECTION("a bug has stopped it")
    {
        library.bug.emplace();
    }
    CHECK(has_reported(library, sample_now));
}

TEST_CASE("what an open library shows at once needs no pass, and trouble of the daemon needs two minutes")
{
    CHECK(is_looked_at(CauseKind::not_running, running_for(1s)));
    CHECK(is_looked_at(CauseKind::late, running_for(1s), {"recipes"}));
    CHECK_FALSE(is_looked_at(CauseKind::snapshot, running_for(9min)));
    CHECK_FALSE(is_looked_at(CauseKind::daemon, running_for(1min), {}, ""));
    CHECK(is_looked_at(CauseKind::daemon, running_for(3min), {}, ""));
    CHECK_FALSE(is_looked_at(CauseKind::consumer_lag, running_for(3min), {}, ""));
}

}  // namespace
}  // namespace shelfd::control

// What people do to a library stands in its mirror, with who did it.
#include "app/troubles/daemon_bench.hpp"
#include "storage/sqlite.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

using namespace shelfd;

namespace {

// "VERB TABLE RESULT USER" of each act, the oldest first.
std::vector<std::string> acts(const DaemonBench& bench)
{
    auto database = storage::Database::open(bench.mirror(), storage::OpenMode::read_only);
    REQUIRE(database);
    auto statement =
        database->prepare("SELECT mode || ' ' || resource || ' ' || result || ' ' || ifnull(asked_by, '?') "
                          "FROM _runs WHERE result IN ('done', 'not done') ORDER BY rowid");
    REQUIRE(statement);
    std::vector<std::string> all;
    for (auto row = statement->step(); row && *row; row = statement->step()) {
        all.emplace_back(statement->text(0));
    }
    return all;
}

}  // namespace

TEST_CASE("what a person does to a library stands in its runs with user and verb, done or not")
{
    DaemonBench bench;
    bench.pass_time(std::chrono::minutes(20));
    const auto before = acts(bench).size();
    auto& operations = bench.operations();
    const auto by = [](const char* verb) { return control::Actor{"erik", verb}; };
    REQUIRE(bench.clock.run(operations.snapshot({"antwerp", by("snapshot")})));
    control::ImportRequest import;
    import.library = "antwerp";
    import.pasted = Secret(std::string("nonsense"));
    import.actor = by("auth import");
    REQUIRE_FALSE(bench.clock.run(operations.import_set(std::move(import))));
    control::VerifyRequest verify;
    verify.library = "antwerp";
    verify.resource = "recipes";
    verify.sample = 1;
    verify.actor = by("verify");
    REQUIRE(bench.clock.run(operations.verify(std::move(verify), [](const auto&) {})));
    control::MoveOutRequest move;
    move.library = "antwerp";
    move.where = "mirror2";
    move.actor = by("auth move-out");
    REQUIRE(bench.clock.run(operations.move_out(std::move(move))));
    REQUIRE(bench.clock.run(operations.adopt({"antwerp", by("auth adopt")})));
    auto found = acts(bench);
    found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(before));
    CHECK(found == std::vector<std::string>{"snapshot  done erik", "auth import  not done erik",
                                            "verify recipes done erik", "auth move-out  done erik",
                                            "auth adopt  done erik"});
}

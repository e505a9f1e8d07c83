// A column that a person gives another kind: the status follows at once.
#include "app/library_bench.hpp"

#include "app/operations/mirror_operations.hpp"
#include "control/causes/cause_finder.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

sim::Fault answer(const std::string& path, std::string body)
{
    sim::Fault fault;
    fault.path = path;
    fault.times = std::nullopt;
    fault.acts = false;
    fault.status = 200;
    fault.body = std::move(body);
    fault.content_type = "application/json";
    return fault;
}

void check_retyped(LibraryBench& bench, const std::string& table)
{
    const auto before = bench.status(table);
    INFO(before.why << " / " << before.do_this);
    CHECK(before.why == "the column code shows texts of digits as numbers, without leading zeros, because its first "
                        "values were not texts");
    CHECK(before.do_this == fmt::format("shelfctl schema lib01 --retype {}.code", table));
    const auto causes = [&bench] {
        control::Status status;
        status.now = bench.clock.now();
        status.libraries = {app::report_library(*bench.unit, status.now)};
        return control::find_causes(status);
    };
    const auto drift = causes();
    REQUIRE(drift.size() == 1);
    CHECK(drift.front().kind == control::CauseKind::column_drift);
    CHECK(drift.front().affected.front().tables == std::vector<std::string>{table});
    CHECK(drift.front().affected.front().do_this == before.do_this);
    const auto retyped = bench.clock.run(app::retype(*bench.unit, {"lib01", table, "code"}));
    REQUIRE(retyped);
    CHECK(retyped->after == "text");
    CHECK(bench.status(table).why.empty());
    CHECK(bench.status(table).do_this.empty());
    CHECK(causes().empty());
}

}  // namespace

TEST_CASE("a list whose column was retyped asks for nothing any more, before its next pass")
{
    const auto* path = "/api/v2/library/recipes/";
    const auto list = [](const char* code) {
        return fmt::format(R"({{"count":1,"next":null,"previous":null,"results":[{{"id":1,"code":{}}}]}})", code);
    };
    BenchOptions options;
    options.prepare = [&](sim::World& world) { world.faults.add(answer(path, list("7"))); };
    LibraryBench bench(options);
    bench.pass_time(1min);
    bench.world()->faults.clear();
    bench.world()->faults.add(answer(path, list("\"0032470\"")));
    bench.pass_time(20min);
    check_retyped(bench, "recipes");
}

TEST_CASE("a table of details whose column was retyped asks for nothing any more, before its next turn")
{
    std::string path;
    std::int64_t id = 0;
    const auto item = [&id](const char* code) { return fmt::format(R"({{"id":{},"code":{}}})", id, code); };
    BenchOptions options;
    options.every = 12h;
    options.world.rows_of["library/recipes"] = 1;
    options.detail = config::Detail{"url", "", 24h};
    options.prepare = [&](sim::World& world) {
        id = world.find_list(world.library("lib01"), "library/recipes")
                 ->ordered({sim::OrderField::id, false})
                 .front()
                 ->id;
        path = fmt::format("/api/v2/library/recipes/{}/", id);
        world.faults.add(answer(path, item("7")));
    };
    LibraryBench bench(options);
    bench.pass_time(5min);
    REQUIRE(bench.query("SELECT code FROM recipes_detail") == "7");
    bench.world()->faults.clear();
    bench.world()->faults.add(answer(path, item("\"0032470\"")));
    bench.pass_time(48h);
    check_retyped(bench, "recipes_detail");
}

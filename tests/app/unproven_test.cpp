// Why the last walk over a whole list did not prove it: said until one does, whatever passes for changes find.
#include "app/library_bench.hpp"

#include "support/catch.hpp"

#include <array>
#include <optional>
#include <string>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

struct Kind {
    const char* family;
    const char* table;
    const char* list;  // of which the service counts a row too many
    const char* begin;
};

constexpr auto kinds = std::to_array<Kind>({
    {"library", "recipes", "library/recipes", "the list returned"},
    {"inventory", "counts", "inventory/outlets/2/counts", "2: the list returned"},
});

BenchOptions options_of(const Kind& kind)
{
    BenchOptions options;
    options.family = kind.family;
    options.resources = {kind.table};
    options.ordering = "";
    options.world.rows = 30;
    options.incremental =
        config::Incremental{"modified_date__gt", "modified_date", config::Incremental::Format::datetime, 5min};
    if (options.family == "inventory") {
        options.resources.emplace_back("outlets");
        options.parent = config::Parent{"outlets", "id", "outlet_id", {}, {}};
        options.world.rows_of["inventory/outlets"] = 2;
    }
    return options;
}

bool asks_changes(const std::string& target)
{
    return target.find("modified_date__gt") != std::string::npos;
}

}  // namespace

TEST_CASE("that the last full pass was not proven is said until one is, also between and after a restart")
{
    const auto kind = GENERATE(from_range(kinds));
    const std::string table = kind.table;
    CAPTURE(table);
    LibraryBench bench(options_of(kind));
    const auto why = [&] { return bench.query("SELECT why FROM freshness WHERE resource = '" + table + "'"); };
    bench.pass_time(40min);
    REQUIRE(bench.sync(table).kind == sync::PassKind::incremental);
    REQUIRE(why().empty());

    const auto gone = bench.service_ids(kind.list).front();
    bench.world()->quirks(kind.list).count_offset = 1;
    bench.world()->edit("lib01", kind.list, {.remove = {gone}});
    const auto full = bench.sync(table, sync::Wanted::full_by_person);
    REQUIRE(full.published);
    REQUIRE_FALSE(full.proof.complete());
    bench.pass_time(5s);  // it is made again at once
    const auto told = why();
    INFO(told);
    CHECK(told.find(kind.begin) == 0);
    CHECK(told.find("it is not proven complete, and no row is deleted") != std::string::npos);
    CHECK(bench.status(table).why == told);

    REQUIRE(bench.sync(table).kind == sync::PassKind::incremental);
    CHECK(why() == told);
    CHECK(bench.status(table).why == told);
    CHECK(bench.status(table).state == control::State::fresh);

    bench.client.refuses = [](const std::string& target) {
        return asks_changes(target) ? std::optional(500) : std::nullopt;
    };
    CHECK_FALSE(bench.sync(table).published);
    CHECK(why().find("500") != std::string::npos);
    bench.stop();
    bench.client.refuses = [](const std::string&) { return std::nullopt; };
    bench.start();
    REQUIRE(bench.sync(table).kind == sync::PassKind::incremental);
    CHECK(why() == told);
    bench.pass_time(3h);
    CHECK(why() == told);
    CHECK(bench.status(table).why == told);

    bench.world()->quirks(kind.list).count_offset = 0;
    REQUIRE(bench.sync(table).kind == sync::PassKind::incremental);
    CHECK(why() == told);
    REQUIRE(bench.sync(table, sync::Wanted::full_by_person).proof.complete());
    CHECK(why().empty());
    CHECK(bench.status(table).why.empty());
    REQUIRE(bench.sync(table).kind == sync::PassKind::incremental);
    CHECK(why().empty());
}

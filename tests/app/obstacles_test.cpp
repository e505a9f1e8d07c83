// A page after the first that fails: readers see what it is as early as if the first page had failed.
#include "app/library_bench.hpp"

#include "support/catch.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

struct Kind {
    const char* name;
    const char* family;
    const char* table;
    const char* further;     // in requests for later pages
    const char* begin = "";  // of the sentence about a later page
};

constexpr auto kinds = std::to_array<Kind>({
    {"counted", "library", "recipes", "page=2"},
    {"by offset", "procurement", "suppliers", "offset=20"},
    {"cursor", "procurement", "orders", "cursor="},
    {"window", "sales", "lines", "page=2"},
    {"by parent", "inventory", "counts", "page=2", "the list for outlet_id 1: "},
});

BenchOptions options_of(const Kind& kind)
{
    BenchOptions options;
    options.family = kind.family;
    options.resources = {kind.table};
    options.world.rows_of[fmt::format("{}/{}", kind.family, kind.table)] = 60;
    options.page_size = 20;
    if (options.family == "sales") {
        LibraryBench::make_ledger(options, 60);
    }
    if (options.family == "inventory") {
        options.resources.emplace_back("outlets");
        options.parent = config::Parent{"outlets", "id", "outlet_id", {}, {}};
        options.world.rows_of["inventory/outlets"] = 1;
    }
    return options;
}

// What is answered instead of a page.
struct Answer {
    const char* name;
    std::optional<int> status;
    std::optional<std::string> body;
};

const std::vector<Answer> answers = {
    {"500", 500, std::nullopt},
    {"HTML", std::nullopt, "<h1>Maintenance</h1>"},
    {"broken UTF-8", std::nullopt,
     "{\"count\":60,\"next\":null,\"previous\":null,\"results\":[{\"id\":1,\"name\":\"\xed\xa0\xbd\"}]}"},
};

struct PagedBench : LibraryBench {
    explicit PagedBench(const Kind& what) : LibraryBench(options_of(what)), kind(what) {}

    // To requests for this list whose target contains `words`.
    void answer(const Answer& instead, const std::string& words)
    {
        const auto is_meant = [path = fmt::format("/{}/", kind.table), words](const std::string& target) {
            return target.find(path) != std::string::npos && target.find(words) != std::string::npos;
        };
        client.refuses = [is_meant, instead](const std::string& target) {
            return is_meant(target) ? instead.status : std::nullopt;
        };
        client.body_instead = [is_meant, instead](const std::string& target) {
            return is_meant(target) ? instead.body : std::nullopt;
        };
    }
    void cure() { answer({"", std::nullopt, std::nullopt}, ""); }
    void request()
    {
        for (const auto& worker : unit->tables().lists()) {
            if (worker->name() == kind.table) {
                worker->request_pass();
            }
        }
    }
    std::string why() const
    {
        return query(fmt::format("SELECT why FROM freshness WHERE resource = '{}'", kind.table));
    }

    Kind kind;
};

}  // namespace

TEST_CASE("what keeps a later page from coming is said as early as of the first page, and no longer than that lasts")
{
    const auto kind = GENERATE(from_range(kinds));
    const auto instead = GENERATE(from_range(answers));
    CAPTURE(kind.name, instead.name);
    PagedBench bench(kind);
    const std::string table = kind.table;
    bench.pass_time(40min);
    REQUIRE(bench.why().empty());

    bench.answer(instead, "");
    bench.request();
    bench.pass_time(15s);
    const auto of_first = bench.why();
    REQUIRE_FALSE(of_first.empty());
    bench.cure();
    bench.pass_time(40min);
    REQUIRE(bench.why().empty());

    bench.answer(instead, kind.further);
    bench.request();
    bench.pass_time(15s);
    CHECK(bench.why() == kind.begin + of_first);
    CHECK(bench.status(table).why == bench.why());
    CHECK(bench.status(table).state == control::State::fresh);
    REQUIRE(bench.status(table).running);

    // The pass goes on, and takes a while.
    bench.client.way_back = [] { return Duration(5s); };
    bench.cure();
    while (!bench.why().empty() && bench.status(table).running) {
        REQUIRE(bench.clock.advance_to_next());
    }
    CHECK(bench.status(table).running);
    CHECK(bench.why().empty());
    CHECK(bench.status(table).why.empty());
    bench.client.way_back = [] { return Duration(0); };
    bench.pass_time(5min);
    CHECK(bench.why().empty());
    CHECK(bench.ids(table).size() >= 50);
}

// Every request that the service counted is in the ledger, with the reason it was sent for.
#include "app/library_bench.hpp"
#include "app/report/budget_report.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <csignal>

#include <sys/resource.h>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

std::uint64_t counted(const LibraryBench& bench, const std::string& resource, const std::string& reason)
{
    const auto status = app::report_library(*bench.unit, bench.clock.now());
    const auto found = std::find_if(status.requests.begin(), status.requests.end(),
                                    [&](const auto& one) { return one.resource == resource && one.reason == reason; });
    return found == status.requests.end() ? 0 : found->count;
}

BenchOptions pages(std::size_t rows)
{
    BenchOptions options;
    options.world.rows = rows;
    options.page_size = 20;
    return options;
}

// While it lives, this process cannot write a byte to a regular file.
class NoRoomForFiles {
public:
    NoRoomForFiles()
    {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        handler_ = std::signal(SIGXFSZ, SIG_IGN);
        const rlimit none = {0, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &none);
    }
    NoRoomForFiles(const NoRoomForFiles&) = delete;
    NoRoomForFiles& operator=(const NoRoomForFiles&) = delete;
    ~NoRoomForFiles()
    {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }

private:
    rlimit before_{};
    void (*handler_)(int) = SIG_DFL;
};

}  // namespace

TEST_CASE("a walk books its pages, its closing look and its canaries, in the run and in the ledger")
{
    LibraryBench bench(pages(50));
    REQUIRE(bench.sync().published);
    const auto page = counted(bench, "recipes", "page");
    const auto closing = counted(bench, "recipes", "closing");
    const auto canary = counted(bench, "", "canary");
    bench.pass_time(2min);
    REQUIRE(bench.sync().published);
    CHECK(counted(bench, "recipes", "page") == page + 3);
    CHECK(counted(bench, "recipes", "closing") == closing + 1);
    CHECK(counted(bench, "", "canary") == canary + 1);
    CHECK(counted(bench, "", "refresh") == 1);  // the import was sealed
    CHECK(bench.query("SELECT requests || ' ' || reasons FROM _runs ORDER BY started_at DESC") ==
          R"(4 {"page":3,"closing":1,"canary":1})");
}

TEST_CASE("a request log that no disk takes is told by its group, with the cure")
{
    LibraryBench bench(pages(20));
    auto& limiters = bench.parts->limiters;
    CHECK(app::report_limiters(limiters).empty());
    auto library = bench.unit->library();
    library.name = "antwerp";
    library.service.limit_group = "tills";
    library.service.requests_per_minute = 100;
    const NoRoomForFiles no_room;
    REQUIRE(limiters.of(library));
    const auto notices = app::report_limiters(limiters);
    REQUIRE(notices.size() == 1);
    CHECK(notices[0].text.find("cannot record the requests that tills has sent: File too large") != std::string::npos);
    CHECK(notices[0].do_this == "free space on the disk of storage.mirrors");
}

TEST_CASE("the ledger holds as many requests as the budget has spent")
{
    LibraryBench bench(pages(100));
    bench.pass_time(2h);
    std::uint64_t sum = 0;
    const auto status = app::report_library(*bench.unit, bench.clock.now());
    for (const auto& one : status.requests) {
        sum += one.reason == "refresh" ? 0 : one.count;
    }
    CHECK(sum == bench.unit->limiter().status().requests);
}

TEST_CASE("rows that a walk lacked are asked for by witnesses, and booked as such")
{
    LibraryBench bench(pages(50));
    REQUIRE(bench.sync().published);
    bench.world()->edit("lib01", "library/recipes", {.remove_newest = 2});
    REQUIRE(bench.sync().published);
    CHECK(counted(bench, "recipes", "witness") == 2);
}

TEST_CASE("the try of a filter is booked, and belongs to the pass that follows it")
{
    auto options = pages(50);
    options.incremental =
        config::Incremental{"modified_date__gt", "modified_date", config::Incremental::Format::datetime, 5min};
    LibraryBench bench(options);
    REQUIRE(bench.sync().published);
    REQUIRE(bench.sync().published);
    CHECK(counted(bench, "recipes", "filter_try") == 1);
    CHECK(bench.query("SELECT reasons FROM _runs WHERE mode = 'incremental'").find(R"("filter_try":1)") !=
          std::string::npos);
}

#include "app/services/limiters.hpp"

#include "support/catch.hpp"
#include "support/simulated_clock.hpp"
#include "support/temp_directory.hpp"

#include <boost/asio/io_context.hpp>

namespace shelfd::app {
namespace {

config::Library library(const std::string& name, const std::string& group)
{
    config::Library made;
    made.name = name;
    made.service.limit_group = group;
    made.service.requests_per_minute = 100;
    return made;
}

struct Bench {
    TempDirectory mirrors;
    boost::asio::io_context loop;
    SimulatedClock clock{loop};
    Limiters limiters{mirrors.path(), clock, "11111111-2222-3333-4444-555555555555"};

    budget::Limiter& of(const config::Library& wanted)
    {
        auto limiter = limiters.of(wanted);
        REQUIRE(limiter);
        return **limiter;
    }
};

TEST_CASE("libraries of a limit group share its limiter, a library without a group has its own")
{
    Bench bench;
    auto& antwerp = bench.of(library("antwerp", "tills"));
    CHECK(&bench.of(library("ghent", "tills")) == &antwerp);
    CHECK(&bench.of(library("bruges", "")) != &antwerp);
    CHECK(bench.limiters.by_group().size() == 2);
    CHECK(bench.limiters.by_group().count("bruges") == 1);
}

TEST_CASE("a limiter outlives the library that opened it, and takes the limit of the next configuration")
{
    Bench bench;
    auto& before = bench.of(library("antwerp", ""));
    auto slower = library("antwerp", "");
    slower.service.requests_per_minute = 30;
    CHECK(&bench.of(slower) == &before);
    CHECK(before.status().limit == 30);
}

TEST_CASE("a library that comes from another group brings what it has sent there in the last minute")
{
    Bench bench;
    auto& before = bench.of(library("antwerp", ""));
    for (int i = 0; i < 5; ++i) {
        auto permit = bench.clock.run(before.acquire(budget::Purpose::interactive));
    }
    const auto sent = before.status().used;
    REQUIRE(sent > 0);
    auto& after = bench.of(library("antwerp", "tills"));
    CHECK(&after != &before);
    CHECK(after.status().used == sent);
}

}  // namespace
}  // namespace shelfd::app

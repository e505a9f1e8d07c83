#include "app/services/limiters.hpp"

#include "support/catch.hpp"
#include "support/simulated_clock.hpp"
#include "support/temp_directory.hpp"

#include <boost/asio/io_context.hpp>

#include <filesystem>
#include <optional>
#include <utility>

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
    Limiters limiters = begin();

    Limiters begin() { return {mirrors.path(), clock, "11111111-2222-3333-4444-555555555555"}; }
    void restart() { limiters = begin(); }
    budget::Limiter& of(const config::Library& wanted)
    {
        auto limiter = limiters.of(wanted);
        REQUIRE(limiter);
        return **limiter;
    }
    void send(budget::Limiter& limiter, int requests, int status = 200)
    {
        for (int i = 0; i < requests; ++i) {
            auto permit = clock.run(limiter.acquire(budget::Purpose::interactive));
            budget::AnswerFacts facts;
            facts.status = status;
            facts.retry_after = status == 429 ? std::optional<Duration>(std::chrono::minutes(10)) : std::nullopt;
            limiter.observe(permit, facts);
        }
    }
    bool has_log(const std::string& group) const
    {
        return std::filesystem::exists(mirrors.path() + "/.requests/" + group);
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
    bench.send(before, 5);
    const auto sent = before.status().used;
    REQUIRE(sent > 0);
    auto& after = bench.of(library("antwerp", "tills"));
    CHECK(&after != &before);
    CHECK(after.status().used == sent);
}

TEST_CASE("what a library sent before a start counts in the group that it joins with it, and so does its pause")
{
    Bench bench;
    bench.send(bench.of(library("antwerp", "")), 4);
    bench.send(bench.of(library("antwerp", "")), 1, 429);
    bench.restart();
    const auto after = bench.of(library("antwerp", "tills")).status();
    CHECK(after.used == 5);
    CHECK(after.paused_until);
    CHECK_FALSE(bench.has_log("antwerp"));
    bench.restart();
    CHECK(bench.of(library("antwerp", "tills")).status().paused_until);
}

TEST_CASE("two names change places over a third one, and each library keeps its requests and its pause over a restart")
{
    Bench bench;
    bench.send(bench.of(library("w1", "")), 1, 429);
    bench.send(bench.of(library("w2", "")), 3);
    for (const auto& [from, to] : {std::pair("w1", "tt"), std::pair("w2", "w1"), std::pair("tt", "w2")}) {
        REQUIRE(bench.limiters.rename(from, to));
        bench.of(library(to, ""));
    }
    const auto check = [&bench] {
        const auto w2 = bench.of(library("w2", "")).status();
        CHECK(w2.paused_until);
        CHECK(w2.used == 1);
        const auto w1 = bench.of(library("w1", "")).status();
        CHECK_FALSE(w1.paused_until);
        CHECK(w1.used == 3);
        CHECK(bench.has_log("w1"));
        CHECK(bench.has_log("w2"));
        CHECK_FALSE(bench.has_log("tt"));
    };
    check();
    CHECK(bench.limiters.by_group().size() == 2);
    bench.restart();
    check();
}

TEST_CASE("a rename that a start carries out moves the request log, and a second time changes nothing")
{
    Bench bench;
    bench.send(bench.of(library("antwerp", "")), 1, 429);
    bench.restart();
    REQUIRE(bench.limiters.rename("antwerp", "antwerpen"));
    REQUIRE(bench.limiters.rename("antwerp", "antwerpen"));
    CHECK(bench.of(library("antwerpen", "")).status().paused_until);
    CHECK_FALSE(bench.of(library("antwerp", "")).status().paused_until);
}

TEST_CASE("a library that takes a name after another one was forgotten, or renamed, begins anew")
{
    Bench bench;
    bench.send(bench.of(library("antwerp", "")), 1, 429);
    bench.limiters.forget("antwerp");
    const auto anew = bench.of(library("antwerp", "")).status();
    CHECK(anew.used == 0);
    CHECK_FALSE(anew.paused_until);
    bench.send(bench.of(library("antwerp", "")), 2);
    bench.restart();
    CHECK(bench.of(library("antwerp", "")).status().used == 2);
}

TEST_CASE("a group that others name after a library stays theirs when that library is renamed or leaves it")
{
    Bench bench;
    const config::Libraries both = {std::make_shared<const config::Library>(library("antwerp", "")),
                                    std::make_shared<const config::Library>(library("ghent", "antwerp"))};
    bench.limiters.configure(both);
    auto& group = bench.of(*both[0]);
    bench.send(group, 1, 429);
    SECTION("renamed while it runs")
    {
        CHECK(&bench.of(*both[1]) == &group);
    }
    SECTION("renamed by a start")
    {
        bench.restart();
        bench.limiters.configure(both);
    }
    REQUIRE(bench.limiters.rename("antwerp", "antwerpen"));
    CHECK(bench.of(library("antwerpen", "")).status().paused_until);
    CHECK(bench.of(*both[1]).status().paused_until);
    CHECK(bench.has_log("antwerp"));
    CHECK(bench.has_log("antwerpen"));
}

TEST_CASE("a library that leaves a group does not change the limit of the others")
{
    Bench bench;
    auto slow = library("ghent", "tills");
    slow.service.requests_per_minute = 30;
    auto& tills = bench.of(slow);
    auto leaving = slow;
    leaving.name = "antwerp";
    bench.of(leaving);
    bench.of(library("antwerp", ""));
    CHECK(tills.status().limit == 30);
}

}  // namespace
}  // namespace shelfd::app

#include "app/stage.hpp"

#include "support/catch.hpp"
#include "support/simulated_clock.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <optional>

namespace shelfd::app {
namespace {

TEST_CASE("stages only follow each other: who was asked to stop does not serve any more")
{
    asio::io_context loop;
    SimulatedClock clock(loop);
    Stage stage;
    stage.serve();
    CHECK(clock.run(stage.until_serving()));
    stage.stop();
    CHECK(stage.is_stopping());
    CHECK_FALSE(clock.run(stage.until_serving()));
    stage.serve();
    CHECK_FALSE(clock.run(stage.until_serving()));
    CHECK_FALSE(stage.has_failed());
}

TEST_CASE("who waits for the daemon to serve goes on when it does, or stops before")
{
    asio::io_context loop;
    SimulatedClock clock(loop);
    Stage stage;
    std::optional<bool> serves;
    auto wait = [&]() -> asio::awaitable<void> { serves = co_await stage.until_serving(); };
    asio::co_spawn(loop, wait(), asio::detached);
    clock.settle();
    CHECK_FALSE(serves);
    SECTION("it serves")
    {
        stage.serve();
        clock.settle();
        CHECK(serves == true);
    }
    SECTION("it stops")
    {
        stage.stop();
        clock.settle();
        CHECK(serves == false);
    }
}

TEST_CASE("a failure asks to stop, and whoever waits for the stop goes on")
{
    asio::io_context loop;
    SimulatedClock clock(loop);
    Stage stage;
    bool over = false;
    auto wait = [&]() -> asio::awaitable<void> {
        co_await stage.until_stop();
        over = true;
    };
    asio::co_spawn(loop, wait(), asio::detached);
    clock.settle();
    CHECK_FALSE(over);
    stage.fail();
    clock.settle();
    CHECK(over);
    CHECK(stage.has_failed());
    clock.run(stage.until_stop());  // returns at once
}

}  // namespace
}  // namespace shelfd::app

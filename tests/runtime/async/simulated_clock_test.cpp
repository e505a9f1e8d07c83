#include "support/simulated_clock.hpp"

#include "runtime/async/deadline.hpp"
#include "runtime/async/task_group.hpp"
#include "support/catch.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/system/system_error.hpp>

#include <string>
#include <vector>

namespace shelfd {
namespace {

using namespace std::chrono_literals;

asio::awaitable<void> record_after(Clock& clock, Duration wait, std::string name, std::vector<std::string>& notes)
{
    co_await clock.sleep_for(wait);
    notes.push_back(name + "@" + std::to_string(clock.boot_now().micros() / 1'000'000));
}

asio::awaitable<int> answer_after(Clock& clock, Duration wait)
{
    co_await clock.sleep_for(wait);
    co_return 42;
}

struct Fixture {
    asio::io_context loop;
    SimulatedClock clock{loop};
    TaskGroup tasks{loop.get_executor()};
    std::vector<std::string> notes;
};

}  // namespace

TEST_CASE_METHOD(Fixture, "sleepers wake in the order of their times, each at its own time")
{
    tasks.spawn(record_after(clock, 3s, "c", notes));
    tasks.spawn(record_after(clock, 1s, "a", notes));
    tasks.spawn(record_after(clock, 2s, "b", notes));
    tasks.spawn(record_after(clock, 10s, "late", notes));
    clock.advance_by(5s);
    CHECK(notes == std::vector<std::string>{"a@1001", "b@1002", "c@1003"});
    CHECK(clock.boot_now() == BootTime::from_micros(1'005'000'000));
    CHECK(clock.sleepers() == 1);
    clock.advance_by(5s);
    CHECK(notes.back() == "late@1010");
    CHECK(tasks.size() == 0);
}

TEST_CASE_METHOD(Fixture, "a step of the wall clock wakes nobody and leaves boot time alone")
{
    tasks.spawn(record_after(clock, 60s, "a", notes));
    clock.settle();
    const auto wall = clock.now();
    clock.step_wall(1h);
    clock.settle();
    CHECK(notes.empty());
    CHECK(clock.now() - wall == Duration(1h));
    clock.advance_by(60s);
    CHECK(notes == std::vector<std::string>{"a@1060"});
    CHECK(clock.now() - wall == Duration(1h + 60s));
}

TEST_CASE_METHOD(Fixture, "a cancelled simulated sleep unwinds and leaves no sleeper behind")
{
    tasks.spawn(record_after(clock, 60s, "a", notes));
    clock.settle();
    CHECK(clock.sleepers() == 1);
    tasks.cancel();
    clock.settle();
    CHECK(clock.sleepers() == 0);
    CHECK(tasks.size() == 0);
    CHECK(notes.empty());
}

TEST_CASE_METHOD(Fixture, "run moves time as far as the work needs and hands its value on")
{
    CHECK(clock.run(answer_after(clock, 48h)) == 42);
    CHECK(clock.boot_now() == BootTime::from_micros(1'000'000'000) + 48h);
    CHECK_THROWS_AS(clock.run([]() -> asio::awaitable<void> {
        throw boost::system::system_error(asio::error::eof);
        co_return;
    }()),
                    boost::system::system_error);
}

TEST_CASE("coroutines that still sleep when clock and loop die leave cleanly, whichever dies first")
{
    std::vector<std::string> notes;
    auto loop = std::make_unique<asio::io_context>();
    auto clock = std::make_unique<SimulatedClock>(*loop);
    asio::co_spawn(*loop, record_after(*clock, 60s, "never", notes), [](const std::exception_ptr&) {});
    clock->settle();
    CHECK(clock->sleepers() == 1);
    SECTION("the clock first")
    {
        clock.reset();
        loop.reset();
    }
    SECTION("the loop first")
    {
        loop.reset();
        CHECK(clock->sleepers() == 0);
    }
    CHECK(notes.empty());
}

}  // namespace shelfd

#include "runtime/async/async_event.hpp"

#include "runtime/async/task_group.hpp"
#include "support/catch.hpp"
#include "support/simulated_clock.hpp"

#include <string>
#include <vector>

namespace shelfd {
namespace {

using namespace std::chrono_literals;

struct Fixture {
    asio::io_context loop;
    SimulatedClock clock{loop};
    AsyncEvent event;
    AsyncMutex mutex;
    TaskGroup tasks{loop.get_executor()};
    std::vector<std::string> notes;
    int inside = 0;
    int max_inside = 0;

    asio::awaitable<void> wait(std::string name)
    {
        co_await event.wait();
        notes.push_back(std::move(name));
    }

    asio::awaitable<void> hold(Duration time)
    {
        const auto guard = co_await mutex.lock();
        ++inside;
        max_inside = std::max(max_inside, inside);
        co_await clock.sleep_for(time);
        --inside;
        notes.push_back("held");
    }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a notification wakes everybody who waits, and nobody who comes later")
{
    tasks.spawn(wait("a"));
    tasks.spawn(wait("b"));
    clock.settle();
    event.notify_all();
    tasks.spawn(wait("late"));
    clock.settle();
    CHECK(notes == std::vector<std::string>{"a", "b"});
    event.notify_all();
    clock.settle();
    CHECK(notes.size() == 3);
    CHECK(tasks.size() == 0);
}

TEST_CASE_METHOD(Fixture, "a cancelled wait ends without having been notified")
{
    tasks.spawn(wait("a"));
    clock.settle();
    tasks.cancel();
    clock.settle();
    CHECK(tasks.size() == 0);
    CHECK(notes.empty());
}

TEST_CASE_METHOD(Fixture, "at most one holds the mutex, and everybody gets it in the end")
{
    for (int i = 0; i < 5; ++i) {
        tasks.spawn(hold(1s));
    }
    clock.advance_by(4500ms);
    CHECK(inside == 1);
    CHECK(notes.size() == 4);
    clock.advance_by(1s);
    CHECK(notes.size() == 5);
    CHECK(max_inside == 1);
    CHECK(inside == 0);
}

TEST_CASE_METHOD(Fixture, "a holder that is cancelled lets go, a waiter that is cancelled never holds")
{
    TaskGroup others(loop.get_executor());
    tasks.spawn(hold(1h));
    clock.settle();
    others.spawn(hold(1s));
    clock.settle();
    others.cancel();
    clock.settle();
    CHECK(others.size() == 0);
    CHECK(inside == 1);
    others.spawn(hold(1s));
    clock.settle();
    tasks.cancel();
    clock.advance_by(2s);
    CHECK(notes == std::vector<std::string>{"held"});
    CHECK(others.size() == 0);
    others.spawn(hold(1s));
    clock.advance_by(2s);
    CHECK(notes.size() == 2);
}

TEST_CASE_METHOD(Fixture, "who waits for some time only is told whether somebody notified")
{
    std::vector<bool> notified;
    const auto wait_for = [&](Duration most) -> asio::awaitable<void> {
        notified.push_back(co_await event.wait_until(SystemClock().boot_now() + most));
    };
    SECTION("nobody did")
    {
        tasks.spawn(wait_for(1ms));
        loop.run();
        CHECK(notified == std::vector<bool>{false});
    }
    SECTION("somebody did, and a second one waited without limit")
    {
        tasks.spawn(wait_for(1h));
        tasks.spawn(wait("a"));
        loop.poll();
        event.notify_all();
        loop.run();
        CHECK(notified == std::vector<bool>{true});
        CHECK(notes == std::vector<std::string>{"a"});
    }
    SECTION("a cancellation is no notification")
    {
        tasks.spawn(wait_for(1h));
        loop.poll();
        tasks.cancel();
        loop.run();
        CHECK(notified.empty());
        event.notify_all();  // nobody is left whom this could reach
    }
    CHECK(tasks.size() == 0);
}

TEST_CASE_METHOD(Fixture, "a wait with an end is over at that time, or when somebody notifies: on either clock")
{
    SystemClock system;
    const bool is_simulated = GENERATE(true, false);
    Clock& by = is_simulated ? static_cast<Clock&>(clock) : system;
    const auto wait_until = [&](BootTime at, std::string name) -> asio::awaitable<void> {
        co_await by.wait_until(at, event);
        notes.push_back(std::move(name));
    };
    const auto settle = [&] {
        if (is_simulated) {
            clock.settle();
        } else {
            loop.restart();
            loop.poll();
        }
    };

    tasks.spawn(wait_until(by.boot_now(), "past"));
    settle();
    CHECK(notes == std::vector<std::string>{"past"});

    tasks.spawn(wait_until(by.boot_now() + Duration(1h), "notified"));
    settle();
    CHECK(notes.size() == 1);
    event.notify_all();
    settle();
    CHECK(notes == std::vector<std::string>{"past", "notified"});

    tasks.spawn(wait_until(by.boot_now() + Duration(1ms), "time"));
    if (is_simulated) {
        clock.advance_by(1ms);
    } else {
        loop.restart();
        loop.run();
    }
    CHECK(notes == std::vector<std::string>{"past", "notified", "time"});
    CHECK(tasks.size() == 0);
}

}  // namespace shelfd

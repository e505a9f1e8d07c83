#include "runtime/async/task_group.hpp"

#include "runtime/async/deadline.hpp"
#include "support/catch.hpp"
#include "support/simulated_clock.hpp"

#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <stdexcept>
#include <string>
#include <vector>

namespace shelfd {
namespace {

using namespace std::chrono_literals;

struct Fixture {
    asio::io_context loop;
    SimulatedClock clock{loop};
    TaskGroup tasks{loop.get_executor()};
    std::vector<std::string> notes;

    asio::awaitable<void> nap(Duration wait, std::string name)
    {
        co_await clock.sleep_for(wait);
        notes.push_back(std::move(name));
    }

    // Notes that it was unwound, for a child that is cancelled.
    asio::awaitable<void> guarded_nap(Duration wait)
    {
        struct Note {
            std::vector<std::string>& notes;
            ~Note() { notes.push_back("unwound"); }
        };
        const Note note{notes};
        co_await clock.sleep_for(wait);
        notes.push_back("slept");
    }

    asio::awaitable<void> throw_after(Duration wait, std::string what)
    {
        co_await clock.sleep_for(wait);
        throw std::logic_error(what);
    }

    asio::awaitable<void> join(std::string name)
    {
        co_await tasks.join();
        notes.push_back(std::move(name));
    }

    asio::awaitable<int> answer_after(Duration wait)
    {
        co_await clock.sleep_for(wait);
        co_return 42;
    }

    asio::awaitable<void> parent_of_children()
    {
        TaskGroup children(loop.get_executor());
        children.spawn(nap(1h, "child"));
        co_await children.join();
        notes.push_back("joined");
        co_await clock.sleep_for(1h);
        notes.push_back("slept on");
    }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "join waits for every child, those spawned meanwhile included")
{
    tasks.spawn(nap(1s, "a"));
    auto late = [](Fixture& in) -> asio::awaitable<void> {
        co_await in.clock.sleep_for(500ms);
        in.tasks.spawn(in.nap(5s, "b"));
    };
    tasks.spawn(late(*this));
    CHECK(tasks.size() == 2);
    clock.run(tasks.join());
    CHECK(notes == std::vector<std::string>{"a", "b"});
    CHECK(tasks.size() == 0);
}

TEST_CASE_METHOD(Fixture, "two may join the same group at the same time")
{
    tasks.spawn(nap(2s, "a"));
    TaskGroup joiners(loop.get_executor());
    joiners.spawn(join("first"));
    joiners.spawn(join("second"));
    clock.advance_by(3s);
    CHECK(notes == std::vector<std::string>{"a", "first", "second"});
    CHECK(joiners.size() == 0);
}

TEST_CASE_METHOD(Fixture, "cancelled children unwind at their next await, and join sees them off")
{
    for (int i = 0; i < 3; ++i) {
        tasks.spawn(guarded_nap(1h));
    }
    clock.settle();
    tasks.cancel();
    clock.run(tasks.join());
    CHECK(notes == std::vector<std::string>(3, "unwound"));
    CHECK(clock.sleepers() == 0);
}

TEST_CASE_METHOD(Fixture, "a child that is cancelled before it began ends, too")
{
    tasks.spawn(guarded_nap(1h));
    tasks.cancel();
    clock.settle();
    CHECK(tasks.size() == 0);
    CHECK(std::count(notes.begin(), notes.end(), "slept") == 0);
}

TEST_CASE_METHOD(Fixture, "join is not cut short by a cancellation, which takes effect at the next await after it")
{
    tasks.spawn(parent_of_children());
    clock.advance_by(1s);
    tasks.cancel();
    clock.advance_by(30min);
    CHECK(notes.empty());
    CHECK(tasks.size() == 1);
    clock.advance_by(30min);
    CHECK(notes == std::vector<std::string>{"child", "joined"});
    CHECK(tasks.size() == 0);
}

TEST_CASE_METHOD(Fixture, "a cancelled owner can still see its children off once it has reset its cancellation")
{
    auto owner = [](Fixture& in) -> asio::awaitable<void> {
        TaskGroup children(in.loop.get_executor());
        children.spawn(in.guarded_nap(1h));
        try {
            co_await in.clock.sleep_for(1h);
        } catch (const boost::system::system_error&) {
            in.notes.push_back("told to stop");
        }
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
        children.cancel();
        co_await children.join();
        in.notes.push_back("joined");
    };
    tasks.spawn(owner(*this));
    clock.settle();
    tasks.cancel();
    clock.settle();
    CHECK(tasks.size() == 0);
    CHECK(notes == std::vector<std::string>{"told to stop", "unwound", "joined"});
}

TEST_CASE_METHOD(Fixture, "the first exception of a child ends its siblings, and join throws it")
{
    tasks.spawn(guarded_nap(1h));
    tasks.spawn(throw_after(1s, "first"));
    tasks.spawn(throw_after(1s, "second"));
    clock.advance_by(1min);
    CHECK(tasks.size() == 0);
    CHECK(notes == std::vector<std::string>{"unwound"});
    CHECK_THROWS_WITH(clock.run(tasks.join()), "first");
    CHECK_NOTHROW(clock.run(tasks.join()));
}

TEST_CASE_METHOD(Fixture, "an owner that asks to hear of failures is told the child's name, and the others go on")
{
    TaskGroup heard(loop.get_executor(), [this](const std::string& child, const std::exception_ptr& error) {
        notes.push_back(child + ": " + describe_exception(error));
    });
    heard.spawn(nap(1h, "slept"), "sleeper");
    heard.spawn(throw_after(1s, "broken"), "worker");
    heard.spawn(guarded_nap(2h), "napper");
    clock.advance_by(90min);
    CHECK(notes == std::vector<std::string>{"worker: broken", "slept"});
    heard.cancel();
    CHECK_NOTHROW(clock.run(heard.join()));
    CHECK(notes.size() == 3);  // a cancellation is no failure
}

TEST_CASE_METHOD(Fixture, "an operation that throws before its deadline is not waited out")
{
    auto throwing = [](Fixture& in) -> asio::awaitable<int> {
        co_await in.throw_after(1s, "broken");
        co_return 1;
    };
    const auto begun = clock.boot_now();
    CHECK_THROWS_WITH(clock.run(with_deadline(clock, throwing(*this), 1h)), "broken");
    CHECK(clock.boot_now() - begun == Duration(1s));
}

TEST_CASE_METHOD(Fixture, "an operation that is quick enough hands on its value")
{
    CHECK(clock.run(with_deadline(clock, answer_after(1s), 2s)) == 42);
    CHECK(clock.sleepers() == 0);
}

TEST_CASE_METHOD(Fixture, "an operation that is too slow is unwound at its deadline, and nothing of it is left")
{
    const auto begun = clock.boot_now();
    CHECK(!clock.run(with_deadline(clock, answer_after(10s), 2s)).has_value());
    CHECK(clock.boot_now() - begun == Duration(2s));
    CHECK(clock.sleepers() == 0);
}

TEST_CASE_METHOD(Fixture, "a cancelled deadline unwinds both halves as one cancellation")
{
    auto wait = [](Fixture& in) -> asio::awaitable<void> {
        try {
            co_await with_deadline(in.clock, in.answer_after(10s), 20s);
        } catch (...) {
            in.notes.push_back(is_cancellation(std::current_exception()) ? "cancellation" : "something else");
            throw;
        }
    };
    tasks.spawn(wait(*this));
    clock.settle();
    tasks.cancel();
    clock.settle();
    CHECK(tasks.size() == 0);
    CHECK(clock.sleepers() == 0);
    CHECK(notes == std::vector<std::string>{"cancellation"});
}

TEST_CASE("only what a cancelled await throws is a cancellation")
{
    const auto made = [](const auto& error) { return std::make_exception_ptr(error); };
    CHECK(is_cancellation(made(boost::system::system_error(asio::error::operation_aborted))));
    CHECK(!is_cancellation(made(boost::system::system_error(asio::error::eof))));
    CHECK(!is_cancellation(made(std::runtime_error("x"))));
    CHECK(!is_cancellation(made(7)));
}

}  // namespace shelfd

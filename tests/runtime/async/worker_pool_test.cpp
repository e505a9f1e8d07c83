#include "runtime/async/worker_pool.hpp"

#include "runtime/async/clock.hpp"
#include "runtime/async/task_group.hpp"
#include "support/catch.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace shelfd {
namespace {

using namespace std::chrono_literals;

asio::awaitable<void> run_in(Lane lane, std::function<void()> work, std::vector<std::thread::id>& resumed_on)
{
    co_await lane.run(std::move(work));
    resumed_on.push_back(std::this_thread::get_id());
}

asio::awaitable<void> fail_in(Lane lane, std::string& caught)
{
    auto work = []() -> int { throw std::runtime_error("from the lane"); };
    try {
        co_await lane.run(work);
    } catch (const std::runtime_error& error) {
        caught = error.what();
    }
}

asio::awaitable<void> sleep(Clock& clock, Duration time, bool& slept)
{
    co_await clock.sleep_for(time);
    slept = true;
}

}  // namespace

TEST_CASE("calls of one lane never overlap, keep their order, run off the loop and resume on it")
{
    asio::io_context loop;
    WorkerPool pool(4);
    TaskGroup tasks(loop.get_executor());
    const auto lane = pool.lane();
    std::atomic<int> inside{0};
    std::atomic<bool> overlapped{false};
    std::vector<int> order;
    std::vector<std::thread::id> ran_on;
    std::vector<std::thread::id> resumed_on;
    for (int i = 0; i < 50; ++i) {
        auto work = [&, i] {
            overlapped = overlapped || inside.fetch_add(1) != 0;
            order.push_back(i);
            ran_on.push_back(std::this_thread::get_id());
            std::this_thread::yield();
            --inside;
        };
        tasks.spawn(run_in(lane, work, resumed_on));
    }
    loop.run();
    CHECK(!overlapped);
    CHECK(std::is_sorted(order.begin(), order.end()));
    CHECK(order.size() == 50);
    CHECK(std::count(ran_on.begin(), ran_on.end(), std::this_thread::get_id()) == 0);
    CHECK(std::count(resumed_on.begin(), resumed_on.end(), std::this_thread::get_id()) == 50);
}

TEST_CASE("with no threads, work runs where it is awaited")
{
    asio::io_context loop;
    WorkerPool pool(0);
    TaskGroup tasks(loop.get_executor());
    std::thread::id ran_on;
    std::vector<std::thread::id> resumed_on;
    auto work = [&ran_on] { ran_on = std::this_thread::get_id(); };
    tasks.spawn(run_in(pool.lane(), work, resumed_on));
    loop.run();
    CHECK(ran_on == std::this_thread::get_id());
    CHECK(resumed_on.size() == 1);
}

TEST_CASE("threads come with the work, as many as it needs, and go when there is none")
{
    WorkerPool pool(2, 1ms);
    CHECK(pool.threads() == 0);
    std::vector<std::thread::id> resumed_on;
    for (int round = 0; round < 3; ++round) {
        asio::io_context loop;
        TaskGroup tasks(loop.get_executor());
        std::atomic<int> inside{0};
        std::atomic<bool> met{false};
        auto meet = [&] {
            if (++inside == 2) {
                met = true;
                met.notify_all();
            }
            met.wait(false);
            --inside;
        };
        for (int i = 0; i < 6; ++i) {
            tasks.spawn(run_in(pool.lane(), meet, resumed_on));
        }
        loop.run();
        CHECK(met);
        while (pool.threads() > 0) {
            std::this_thread::yield();
        }
    }
    CHECK(resumed_on.size() == 18);
    CHECK(std::count(resumed_on.begin(), resumed_on.end(), std::this_thread::get_id()) == 18);
}

TEST_CASE("what work throws reaches whoever awaits it, from either kind of lane")
{
    for (const std::size_t threads : {0u, 1u}) {
        asio::io_context loop;
        WorkerPool pool(threads);
        TaskGroup tasks(loop.get_executor());
        std::string caught;
        tasks.spawn(fail_in(pool.lane(), caught));
        loop.run();
        CHECK(caught == "from the lane");
    }
}

TEST_CASE("work that has begun is finished although its caller is cancelled, and the caller waits for it")
{
    asio::io_context loop;
    WorkerPool pool(1);
    TaskGroup tasks(loop.get_executor());
    std::atomic<bool> begun{false};
    std::atomic<bool> may_end{false};
    bool finished = false;
    std::vector<std::thread::id> resumed_on;
    auto work = [&] {
        begun = true;
        begun.notify_all();
        may_end.wait(false);
        finished = true;
    };
    tasks.spawn(run_in(pool.lane(), work, resumed_on));
    loop.poll();
    begun.wait(false);
    tasks.cancel();
    loop.poll();
    CHECK(tasks.size() == 1);
    may_end = true;
    may_end.notify_all();
    loop.run();
    CHECK(finished);
    CHECK(tasks.size() == 0);
}

TEST_CASE("the system's clock tells the time of both clocks, sleeps at least as long as asked, and can be cancelled")
{
    asio::io_context loop;
    SystemClock clock;
    TaskGroup tasks(loop.get_executor());
    CHECK(clock.now() > *Instant::from_rfc3339("2024-01-01T00:00:00Z"));
    const auto begun = clock.boot_now();
    bool slept = false;
    tasks.spawn(sleep(clock, 20ms, slept));
    loop.run();
    CHECK(slept);
    CHECK(clock.boot_now() - begun >= Duration(20ms));

    bool woke = false;
    tasks.spawn(sleep(clock, 1h, woke));
    loop.restart();
    loop.poll();
    CHECK(tasks.size() == 1);
    tasks.cancel();
    loop.run();
    CHECK(tasks.size() == 0);
    CHECK(!woke);

    bool passed = false;
    tasks.spawn(sleep(clock, -1h, passed));
    loop.restart();
    loop.run();
    CHECK(passed);
}

}  // namespace shelfd

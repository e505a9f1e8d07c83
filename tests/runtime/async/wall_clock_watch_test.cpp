#include "runtime/async/wall_clock_watch.hpp"

#include "runtime/async/task_group.hpp"
#include "support/catch.hpp"
#include "support/simulated_clock.hpp"

namespace shelfd {
namespace {

using namespace std::chrono_literals;

}  // namespace

TEST_CASE("a wall clock that is set is noticed within a minute, once, in either direction")
{
    asio::io_context loop;
    SimulatedClock clock(loop);
    TaskGroup tasks(loop.get_executor());
    int noticed = 0;
    tasks.spawn(watch_wall_clock(clock, [&noticed] { ++noticed; }));
    clock.settle();
    clock.advance_by(1h);
    CHECK(noticed == 0);
    clock.step_wall(1s);
    clock.advance_by(1min);
    CHECK(noticed == 1);
    clock.advance_by(1h);
    CHECK(noticed == 1);
    clock.step_wall(-24h * 365);
    clock.advance_by(1min);
    CHECK(noticed == 2);
    // NTP corrects at most 0.5 ms a second.
    for (int minute = 0; minute < 60; ++minute) {
        clock.step_wall(30ms);
        clock.advance_by(1min);
    }
    CHECK(noticed == 2);
    tasks.cancel();
    clock.settle();
}

}  // namespace shelfd

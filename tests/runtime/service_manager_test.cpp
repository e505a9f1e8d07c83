#include "runtime/service_manager.hpp"

#include "runtime/async/task_group.hpp"
#include "support/catch.hpp"
#include "support/notify_socket.hpp"
#include "support/simulated_clock.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace shelfd {
namespace {

using namespace std::chrono_literals;

using Messages = std::vector<std::string>;

}  // namespace

TEST_CASE("systemd hears of each step of the daemon's life")
{
    NotifySocket systemd;
    ServiceManager manager(systemd.path());
    manager.ready("3 libraries, all fresh");
    CHECK(systemd.take() == Messages{"READY=1\nSTATUS=3 libraries, all fresh"});
    manager.stopping();
    CHECK(systemd.take() == Messages{"STOPPING=1"});
    manager.extend_timeout(30s);
    CHECK(systemd.take() == Messages{"EXTEND_TIMEOUT_USEC=30000000"});
    manager.feed_watchdog();
    CHECK(systemd.take() == Messages{"WATCHDOG=1"});
    manager.reloading();
    const auto reloading = systemd.take();
    REQUIRE(reloading.size() == 1);
    CHECK(reloading.front().substr(0, 27) == "RELOADING=1\nMONOTONIC_USEC=");
    CHECK(std::stoll(reloading.front().substr(27)) > 0);
}

TEST_CASE("the status is sent when it changed, always as one line")
{
    NotifySocket systemd;
    ServiceManager manager(systemd.path());
    manager.ready("a");
    manager.status("a");
    CHECK(systemd.take().size() == 1);
    manager.status("b\nREADY=0");
    manager.status("b\nREADY=0");
    manager.status("caf\xc3\xa9 \xff");
    CHECK(systemd.take() == Messages{"STATUS=b READY=0", "STATUS=caf\xc3\xa9 \\xff"});
}

TEST_CASE("a service manager that does not read stops nothing, and hears the steps of our life when it reads again")
{
    NotifySocket systemd;
    ServiceManager manager(systemd.path());
    for (int i = 0; i < 2'000; ++i) {  // more than any kernel has room for
        manager.status("page " + std::to_string(i));
    }
    manager.feed_watchdog();
    manager.stopping();
    const auto before = systemd.take();
    CHECK(before.size() < 2'000);
    CHECK(std::count(before.begin(), before.end(), "STOPPING=1") == 0);
    manager.status("page 1999");
    CHECK(systemd.take() == Messages{"STOPPING=1\nSTATUS=page 1999"});
    manager.status("page 1999");
    CHECK(systemd.take().empty());
}

TEST_CASE("without systemd nothing happens")
{
    unsetenv("WATCHDOG_USEC");
    ServiceManager manager("");
    manager.ready("a");
    manager.feed_watchdog();
    CHECK(!manager.watchdog_interval().has_value());
}

TEST_CASE("the watchdog is fed twice in its interval, by a loop that runs")
{
    NotifySocket systemd;
    setenv("WATCHDOG_USEC", "30000000", 1);
    setenv("WATCHDOG_PID", std::to_string(getpid()).c_str(), 1);
    asio::io_context loop;
    SimulatedClock clock(loop);
    TaskGroup tasks(loop.get_executor());
    ServiceManager manager(systemd.path());
    CHECK(manager.watchdog_interval() == Duration(15s));
    tasks.spawn(manager.keep_watchdog_fed(clock));
    clock.advance_by(60s);
    CHECK(systemd.take() == Messages(5, "WATCHDOG=1"));
    tasks.cancel();
    clock.settle();
    CHECK(tasks.size() == 0);
    setenv("WATCHDOG_PID", "1", 1);
    CHECK(!manager.watchdog_interval().has_value());
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
}

}  // namespace shelfd

#include "runtime/service_manager.hpp"

#include "runtime/task_group.hpp"
#include "support/catch.hpp"
#include "support/simulated_clock.hpp"
#include "support/temp_directory.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <vector>

namespace shelfd {
namespace {

using namespace std::chrono_literals;

// The other end of $NOTIFY_SOCKET, as systemd has it.
class NotifySocket {
public:
    NotifySocket() : fd_(socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0))
    {
        const auto path = directory_ / "notify";
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
        REQUIRE(bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
        setenv("NOTIFY_SOCKET", path.c_str(), 1);
    }
    NotifySocket(const NotifySocket&) = delete;
    NotifySocket& operator=(const NotifySocket&) = delete;
    ~NotifySocket()
    {
        unsetenv("NOTIFY_SOCKET");
        close(fd_);
    }

    std::vector<std::string> received() const
    {
        std::vector<std::string> messages;
        char buffer[4096];
        for (auto size = recv(fd_, buffer, sizeof buffer, 0); size > 0; size = recv(fd_, buffer, sizeof buffer, 0)) {
            messages.emplace_back(buffer, static_cast<std::size_t>(size));
        }
        return messages;
    }

private:
    TempDirectory directory_;
    int fd_;
};

using Messages = std::vector<std::string>;

}  // namespace

TEST_CASE("systemd hears of each step of the daemon's life")
{
    const NotifySocket systemd;
    ServiceManager manager;
    manager.ready("3 libraries, all fresh");
    CHECK(systemd.received() == Messages{"READY=1\nSTATUS=3 libraries, all fresh"});
    manager.stopping();
    CHECK(systemd.received() == Messages{"STOPPING=1"});
    manager.extend_timeout(30s);
    CHECK(systemd.received() == Messages{"EXTEND_TIMEOUT_USEC=30000000"});
    manager.feed_watchdog();
    CHECK(systemd.received() == Messages{"WATCHDOG=1"});
    manager.reloading();
    const auto reloading = systemd.received();
    REQUIRE(reloading.size() == 1);
    CHECK(reloading.front().substr(0, 27) == "RELOADING=1\nMONOTONIC_USEC=");
    CHECK(std::stoll(reloading.front().substr(27)) > 0);
}

TEST_CASE("the status is sent when it changed, always as one line")
{
    const NotifySocket systemd;
    ServiceManager manager;
    manager.ready("a");
    manager.status("a");
    CHECK(systemd.received().size() == 1);
    manager.status("b\nREADY=0");
    manager.status("b\nREADY=0");
    manager.status("caf\xc3\xa9 \xff");
    CHECK(systemd.received() == Messages{"STATUS=b READY=0", "STATUS=caf\xc3\xa9 \\xff"});
}

TEST_CASE("without systemd nothing happens")
{
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    ServiceManager manager;
    manager.ready("a");
    manager.feed_watchdog();
    CHECK(!manager.watchdog_interval().has_value());
}

TEST_CASE("the watchdog is fed twice in its interval, by a loop that runs")
{
    const NotifySocket systemd;
    setenv("WATCHDOG_USEC", "30000000", 1);
    setenv("WATCHDOG_PID", std::to_string(getpid()).c_str(), 1);
    asio::io_context loop;
    SimulatedClock clock(loop);
    TaskGroup tasks(loop.get_executor());
    ServiceManager manager;
    CHECK(manager.watchdog_interval() == Duration(15s));
    tasks.spawn(manager.keep_watchdog_fed(clock));
    clock.advance_by(60s);
    CHECK(systemd.received() == Messages(5, "WATCHDOG=1"));
    tasks.cancel();
    clock.settle();
    CHECK(tasks.size() == 0);
    setenv("WATCHDOG_PID", "1", 1);
    CHECK(!manager.watchdog_interval().has_value());
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
}

}  // namespace shelfd

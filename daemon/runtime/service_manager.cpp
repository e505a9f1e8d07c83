#include "runtime/service_manager.hpp"

#include "base/words/safe_text.hpp"

#include "runtime/async/task_group.hpp"

#include <boost/asio/this_coro.hpp>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <exception>

#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

namespace shelfd {
namespace {

// Address of a unix socket given as a path or "@abstract"; an empty optional for another kind of address.
std::optional<sockaddr_un> unix_address(const std::string& name)
{
    sockaddr_un address{};
    if (name.size() < 2 || name.size() >= sizeof address.sun_path || (name.front() != '/' && name.front() != '@')) {
        return std::nullopt;
    }
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name.front() == '@') {
        address.sun_path[0] = '\0';
    }
    return address;
}

// Returns false when the socket's buffer is full because its reader does not read. sd_notify(3) would block there, and
// with it every library, as long as the reader is busy: kernels give room for as few as ten messages
// (net.unix.max_dgram_qlen).
bool send(const std::string& name, const std::string& state)
{
    if (name.empty()) {
        return true;
    }
    const auto address = unix_address(name);
    if (!address) {
        sd_notify(0, state.c_str());
        return true;
    }
    const int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) {
        return false;
    }
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    const auto* generic = static_cast<const sockaddr*>(static_cast<const void*>(&*address));
    const auto sent = sendto(descriptor, state.data(), state.size(), MSG_DONTWAIT | MSG_NOSIGNAL, generic, size);
    const bool full = sent < 0 && (errno == EAGAIN || errno == ENOBUFS);
    close(descriptor);
    return !full;
}

// A line break would begin another assignment; systemd drops a status that is not UTF-8.
std::string one_line(std::string text)
{
    for (char& c : text) {
        if (c == '\n') {
            c = ' ';
        }
    }
    return escape_line(text);
}

}  // namespace

bool ServiceManager::notify(const std::string& state)
{
    const auto all = unsent_ + state;
    if (!send(socket_, all)) {
        return false;
    }
    unsent_.clear();
    return true;
}

void ServiceManager::insist(const std::string& state)
{
    if (!notify(state)) {
        unsent_ += state + "\n";
    }
}

void ServiceManager::ready(const std::string& status)
{
    last_status_ = status;
    insist("READY=1\nSTATUS=" + one_line(status));
}

void ServiceManager::reloading()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    insist(fmt::format("RELOADING=1\nMONOTONIC_USEC={}", now.tv_sec * 1'000'000 + now.tv_nsec / 1'000));
}

void ServiceManager::stopping()
{
    insist("STOPPING=1");
}

void ServiceManager::status(const std::string& text)
{
    if (text != last_status_ && notify("STATUS=" + one_line(text))) {
        last_status_ = text;
    }
}

void ServiceManager::extend_timeout(Duration extra)
{
    notify(fmt::format("EXTEND_TIMEOUT_USEC={}", extra.count()));
}

asio::awaitable<void> ServiceManager::extend_while(Clock& clock, asio::awaitable<void> work)
{
    constexpr auto step = std::chrono::seconds(10);
    auto ask_again = [this, &clock, step]() -> asio::awaitable<void> {
        for (;;) {
            extend_timeout(2 * step);
            feed_watchdog();
            co_await clock.sleep_for(step);
        }
    };
    TaskGroup asking(co_await asio::this_coro::executor);
    asking.spawn(ask_again());
    std::exception_ptr thrown;
    try {
        co_await std::move(work);
    } catch (...) {
        thrown = std::current_exception();
    }
    asking.cancel();
    co_await asking.join();
    if (thrown) {
        std::rethrow_exception(thrown);
    }
}

void ServiceManager::feed_watchdog()
{
    notify("WATCHDOG=1");
}

std::optional<Duration> ServiceManager::watchdog_interval() const
{
    std::uint64_t limit = 0;
    if (sd_watchdog_enabled(0, &limit) <= 0) {
        return std::nullopt;
    }
    return Duration(static_cast<std::int64_t>(limit / 2));
}

asio::awaitable<void> ServiceManager::keep_watchdog_fed(Clock& clock)
{
    const auto interval = watchdog_interval();
    if (!interval) {
        co_return;
    }
    for (;;) {
        feed_watchdog();
        co_await clock.sleep_for(*interval);
    }
}

}  // namespace shelfd

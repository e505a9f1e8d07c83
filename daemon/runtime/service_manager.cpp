#include "runtime/service_manager.hpp"

#include "runtime/escape.hpp"

#include "runtime/task_group.hpp"

#include <boost/asio/this_coro.hpp>
#include <ctime>

#include <fmt/core.h>
#include <systemd/sd-daemon.h>

namespace shelfd {
namespace {

void notify(const std::string& state)
{
    sd_notify(0, state.c_str());
}

// A line break would begin another assignment; systemd drops a status that is no UTF-8.
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

void ServiceManager::ready(const std::string& status)
{
    last_status_ = status;
    notify("READY=1\nSTATUS=" + one_line(status));
}

void ServiceManager::reloading()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    notify(fmt::format("RELOADING=1\nMONOTONIC_USEC={}", now.tv_sec * 1'000'000 + now.tv_nsec / 1'000));
}

void ServiceManager::stopping()
{
    notify("STOPPING=1");
}

void ServiceManager::status(const std::string& text)
{
    if (text != last_status_) {
        last_status_ = text;
        notify("STATUS=" + one_line(text));
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
    co_await std::move(work);
    asking.cancel();
    co_await asking.join();
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

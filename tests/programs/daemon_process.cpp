#include "daemon_process.hpp"

#include "support/temp_directory.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace shelfd {
namespace {

using namespace std::chrono_literals;
using SteadyTime = std::chrono::steady_clock::time_point;

constexpr Duration max_wait = slowness * 60s;
// What happens elsewhere than in the daemon is noticed within this time.
constexpr Duration look_again = 5ms;

SteadyTime now()
{
    return std::chrono::steady_clock::now();
}

int whole_milliseconds(Duration duration)
{
    return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(std::max(duration, Duration(0))).count());
}

Process::Settings settings_of(const DaemonStart& start, const NotifySocket& notify)
{
    Process::Settings settings;
    settings.argv = start.under;
    settings.argv.push_back(built_program("shelfd"));
    settings.argv.insert(settings.argv.end(), start.arguments.begin(), start.arguments.end());
    settings.environment = clean_environment();
    settings.environment["NOTIFY_SOCKET"] = notify.path();
    settings.stdout_file = start.log_file;
    settings.stderr_file = start.log_file;
    return settings;
}

int descriptor_of(pid_t pid)
{
    const auto descriptor = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
    if (descriptor < 0) {
        throw std::runtime_error("pidfd_open: this kernel is older than 5.3");
    }
    return descriptor;
}

}  // namespace

std::map<std::string, std::string> clean_environment()
{
    std::map<std::string, std::string> environment;
    for (const char* name : {"ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"}) {
        if (const char* value = std::getenv(name)) {
            environment[name] = value;
        }
    }
    return environment;
}

std::string built_program(const std::string& name)
{
    return std::string(SHELFD_BUILD_DIR) + "/" + name;
}

DaemonProcess::DaemonProcess(DaemonStart start)
    : log_file_(start.log_file), process_(settings_of(start, notify_)),
      process_descriptor_(descriptor_of(process_.pid()))
{
}

DaemonProcess::~DaemonProcess()
{
    close(process_descriptor_);
}

void DaemonProcess::hear()
{
    for (const auto& message : notify_.take()) {
        heard_ += message + "\n";
    }
}

bool DaemonProcess::told(const std::string& line)
{
    hear();
    return heard_.find("\n" + line) != std::string::npos;
}

bool DaemonProcess::watch(const std::function<bool()>& happened, Duration longest)
{
    const auto deadline = now() + longest;
    std::array<pollfd, 2> events{{{notify_.descriptor(), POLLIN, 0}, {process_descriptor_, POLLIN, 0}}};
    for (;;) {
        hear();
        if (happened()) {
            return true;
        }
        if (now() >= deadline || !process_.running()) {
            return happened();
        }
        poll(events.data(), events.size(), whole_milliseconds(look_again));
    }
}

void DaemonProcess::await(const std::string& what, const std::function<bool()>& happened)
{
    if (!watch(happened, max_wait)) {
        throw std::runtime_error("shelfd " + std::string(process_.running() ? "still runs" : "has ended") +
                                 ", and this has not happened: " + what + "\n" + log());
    }
}

void DaemonProcess::await_ready()
{
    await("READY=1", [this] { return told("READY=1"); });
}

bool DaemonProcess::ends_within(Duration time)
{
    std::array<pollfd, 1> ended{{{process_descriptor_, POLLIN, 0}}};
    return poll(ended.data(), ended.size(), whole_milliseconds(time)) == 1;
}

ExitStatus DaemonProcess::wait()
{
    if (!ends_within(max_wait)) {
        const auto words = log();
        process_.signal(SIGABRT);
        throw std::runtime_error("shelfd does not end\n" + words);
    }
    hear();
    return process_.wait();
}

ExitStatus DaemonProcess::stop()
{
    process_.signal(SIGTERM);
    return wait();
}

void DaemonProcess::kill()
{
    process_.signal(SIGKILL);
    process_.wait();
}

std::string DaemonProcess::log() const
{
    return read_file(log_file_);
}

}  // namespace shelfd

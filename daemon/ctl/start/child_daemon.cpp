#include "ctl/start/child_daemon.hpp"

#include "base/regular_file.hpp"
#include "base/scope_exit.hpp"
#include "ctl/context/ending_signals.hpp"
#include "ctl/daemon/client.hpp"

#include <fmt/format.h>

#include <array>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <vector>

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace shelfd::ctl {
namespace {

namespace fs = std::filesystem;

constexpr int patience_ms = 30'000;
constexpr int pause_ms = 50;
constexpr std::size_t max_log = 1u << 20;

bool is_program(const fs::path& path)
{
    std::error_code failed;
    return fs::is_regular_file(path, failed) && ::access(path.c_str(), X_OK) == 0;
}

// Around fork(2): the child must not lose one to a handler of ours.
sigset_t block_ending_signals()
{
    sigset_t ending;
    sigset_t before;
    ::sigemptyset(&ending);
    for (const int number : ending_signals) {
        ::sigaddset(&ending, number);
    }
    ::sigprocmask(SIG_BLOCK, &ending, &before);
    return before;
}

// In the child: system calls, and initgroups(3), which is allowed because there is one thread.
[[noreturn]] void become_daemon(char* const* argv, char* const* environment, int input, int log, pid_t parent,
                                const ProcessUser* user, const sigset_t& signals)
{
    for (const int number : ending_signals) {
        struct sigaction inherited {};
        ::sigaction(number, nullptr, &inherited);
        if (inherited.sa_handler != SIG_IGN) {
            ::signal(number, SIG_DFL);
        }
    }
    ::sigprocmask(SIG_SETMASK, &signals, nullptr);
    ::setpgid(0, 0);  // Ctrl-C reaches shelfctl only
    if (user != nullptr &&
        (::initgroups(user->name.c_str(), user->gid) != 0 || ::setgid(user->gid) != 0 || ::setuid(user->uid) != 0)) {
        ::_exit(126);
    }
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() == parent && ::dup2(input, STDIN_FILENO) >= 0 && ::dup2(log, STDOUT_FILENO) >= 0 &&
        ::dup2(log, STDERR_FILENO) >= 0) {
        ::execve(argv[0], argv, environment);
    }
    ::_exit(127);
}

std::string last_line(const std::string& log_file)
{
    std::istringstream lines(read_regular_file(log_file, max_log).value_or(""));
    std::string last;
    for (std::string line; std::getline(lines, line);) {
        last = line.empty() ? last : line;
    }
    return last;
}

}  // namespace

Result<std::string> find_daemon_program(const Environment& environment)
{
    std::error_code failed;
    const auto here = fs::read_symlink("/proc/self/exe", failed).parent_path();
    std::vector<fs::path> places = {here / "shelfd", here / "../sbin/shelfd", "/usr/sbin/shelfd",
                                    "/usr/local/sbin/shelfd"};
    if (const auto path = environment.find("PATH"); path != environment.end()) {
        std::istringstream directories(path->second);
        for (std::string directory; std::getline(directories, directory, ':');) {
            places.push_back(fs::path(directory.empty() ? "." : directory) / "shelfd");
        }
    }
    for (const auto& place : places) {
        if (is_program(place)) {
            return place.lexically_normal().string();
        }
    }
    return Error(ErrorKind::not_found, fmt::format("the program shelfd is neither in {} nor in PATH; install it, or "
                                                   "add its directory to PATH",
                                                   here.string()));
}

ChildDaemon::ChildDaemon(pid_t child, FileDescriptor watch, std::string log_file)
    : child_(child), watch_(std::move(watch)), log_file_(std::move(log_file))
{
}

ChildDaemon::~ChildDaemon()
{
    stop();
}

Result<std::unique_ptr<ChildDaemon>> ChildDaemon::start(const Start& start, const Environment& environment)
{
    auto log = open_regular_file(start.log_file, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW, 0600);
    if (!log) {
        return Error(log.error().kind(), fmt::format("cannot write {}: {}", start.log_file, log.error().text()));
    }
    std::vector<std::string> arguments = {start.program, "--config", start.config_file};
    std::vector<std::string> variables;
    for (const auto& [name, value] : environment) {
        // It is no service of a manager that listens for shelfctl.
        if (name != "NOTIFY_SOCKET" && name != "WATCHDOG_USEC" && name != "JOURNAL_STREAM") {
            variables.push_back(name + "=" + value);
        }
    }
    const auto pointers_to = [](std::vector<std::string>& texts) {
        std::vector<char*> pointers;
        for (auto& text : texts) {
            pointers.push_back(text.data());
        }
        pointers.push_back(nullptr);
        return pointers;
    };
    const auto argv = pointers_to(arguments);
    const auto variable_pointers = pointers_to(variables);
    std::array<int, 2> ends = {-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return Error(ErrorKind::storage, fmt::format("cannot start {}: {}", start.program, std::strerror(errno)));
    }
    const FileDescriptor input(ends[0]);
    {
        const FileDescriptor closed(ends[1]);
    }  // an input that is at its end
    if (was_interrupted()) {
        return Error(ErrorKind::stopped, "interrupted");
    }
    const auto parent = ::getpid();
    const auto signals = block_ending_signals();
    const ScopeExit unblock([&signals] { ::sigprocmask(SIG_SETMASK, &signals, nullptr); });
    const auto child = ::fork();
    if (child == 0) {
        become_daemon(argv.data(), variable_pointers.data(), input.get(), log->get(), parent,
                      start.user ? &*start.user : nullptr, signals);
    }
    if (child < 0) {
        return Error(ErrorKind::config, fmt::format("cannot start {}: {}", start.program, std::strerror(errno)));
    }
    EndingSignals::pass_on_to(child);
    FileDescriptor watch(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
    return std::unique_ptr<ChildDaemon>(new ChildDaemon(child, std::move(watch), start.log_file));
}

bool ChildDaemon::has_ended()
{
    int status = 0;
    if (child_ > 0 && ::waitpid(child_, &status, WNOHANG) == child_) {
        child_ = -1;
        EndingSignals::pass_on_to(0);
    }
    return child_ <= 0;
}

Result<void> ChildDaemon::await_ready(const std::string& socket)
{
    for (int waited = 0; waited < patience_ms; waited += pause_ms) {
        const bool ended = has_ended();
        if (was_interrupted()) {
            return Error(ErrorKind::stopped, "interrupted");
        }
        if (ended) {
            return Error(ErrorKind::stopped, fmt::format("shelfd ended at its start: {}", last_line(log_file_)));
        }
        if (DaemonClient(socket).get("/healthz")) {
            return {};
        }
        pollfd end{watch_.get(), POLLIN, 0};
        ::poll(&end, 1, pause_ms);
    }
    return Error(ErrorKind::not_found,
                 fmt::format("shelfd does not answer on {}; its log ends: {}", socket, last_line(log_file_)));
}

void ChildDaemon::stop()
{
    if (!has_ended()) {
        ::kill(child_, SIGTERM);
        int status = 0;
        while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
        }
        child_ = -1;
        EndingSignals::pass_on_to(0);
    }
}

}  // namespace shelfd::ctl

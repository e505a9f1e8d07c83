#include "support/terminal_process.hpp"

#include <array>
#include <chrono>
#include <stdexcept>

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

namespace shelfd {
namespace {

std::chrono::steady_clock::time_point in_seconds(int seconds)
{
    return std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
}

}  // namespace

TerminalProcess::TerminalProcess(std::vector<std::string> argv, const std::map<std::string, std::string>& environment)
{
    std::vector<std::string> variables;
    for (const auto& [name, value] : environment) {
        variables.push_back(name + "=" + value);
    }
    const auto pointers = [](std::vector<std::string>& texts) {
        std::vector<char*> out;
        for (auto& text : texts) {
            out.push_back(text.data());
        }
        out.push_back(nullptr);
        return out;
    };
    const auto arguments = pointers(argv);
    const auto envp = pointers(variables);
    const winsize size{24, 200, 0, 0};
    child_ = forkpty(&master_, nullptr, nullptr, &size);
    if (child_ == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execve(arguments.front(), arguments.data(), envp.data());
        _exit(127);
    }
    if (child_ < 0) {
        throw std::runtime_error("cannot make a terminal");
    }
}

TerminalProcess::~TerminalProcess()
{
    if (!reaped_) {
        kill(child_, SIGKILL);
        int status = 0;
        waitpid(child_, &status, 0);
    }
    close(master_);
}

void TerminalProcess::type(const std::string& text) const
{
    if (write(master_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
        throw std::runtime_error("the terminal takes no more");
    }
}

bool TerminalProcess::shows(const std::string& text, int seconds)
{
    const auto end = in_seconds(seconds);
    for (;;) {
        if (const auto at = screen_.find(text, seen_); at != std::string::npos) {
            seen_ = at + text.size();
            return true;
        }
        if (std::chrono::steady_clock::now() > end || !read_some(100)) {
            return false;
        }
    }
}

bool TerminalProcess::hides(int seconds)
{
    const auto end = in_seconds(seconds);
    while (echoes()) {
        if (std::chrono::steady_clock::now() > end || !read_some(20)) {
            return false;
        }
    }
    return true;
}

bool TerminalProcess::echoes() const
{
    termios now{};
    return tcgetattr(master_, &now) == 0 && (now.c_lflag & ECHO) != 0;
}

ExitStatus TerminalProcess::wait(int seconds)
{
    const auto end = in_seconds(seconds);
    const int watch = static_cast<int>(syscall(SYS_pidfd_open, child_, 0));  // readable once it has ended
    std::array<pollfd, 2> events{{{watch, POLLIN, 0}, {master_, POLLIN, 0}}};
    while (std::chrono::steady_clock::now() < end && (events[0].revents & POLLIN) == 0) {
        poll(events.data(), events.size(), 100);
        if (events[1].revents != 0 && !read_some(0)) {
            events[1].fd = -1;  // its end
        }
    }
    close(watch);
    int status = 0;
    if (waitpid(child_, &status, WNOHANG) != child_) {
        return {};
    }
    reaped_ = true;
    while (read_some(0)) {
    }
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, WIFSIGNALED(status) ? WTERMSIG(status) : 0};
}

bool TerminalProcess::read_some(int milliseconds)
{
    pollfd ready{master_, POLLIN, 0};
    if (poll(&ready, 1, milliseconds) <= 0) {
        return !reaped_;
    }
    std::array<char, 4096> piece{};
    const auto size = read(master_, piece.data(), piece.size());
    if (size > 0) {
        screen_.append(piece.data(), static_cast<std::size_t>(size));
    }
    return size > 0;
}

}  // namespace shelfd

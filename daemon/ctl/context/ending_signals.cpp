#include "ctl/context/ending_signals.hpp"

#include <cerrno>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace shelfd::ctl {
namespace {

// Global because a signal handler needs them.
volatile sig_atomic_t running_child = 0;
volatile sig_atomic_t interrupted = 0;
// Wakes who waits for input: a signal between a look at `interrupted` and the wait would be missed. -1: there is none.
std::array<int, 2> wakeup = {-1, -1};

void note(int)
{
    const int reason = errno;
    interrupted = 1;
    [[maybe_unused]] const auto written = ::write(wakeup[1], "", 1);
    errno = reason;
    if (running_child > 0) {
        ::kill(running_child, SIGTERM);
    }
}

}  // namespace

EndingSignals::EndingSignals()
{
    if (::pipe2(wakeup.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
        wakeup = {-1, -1};
    }
    for (std::size_t i = 0; i < ending_signals.size(); ++i) {
        ::sigaction(ending_signals[i], nullptr, &before_[i]);
        if (before_[i].sa_handler != SIG_IGN) {
            struct sigaction now {};
            now.sa_handler = note;
            ::sigaction(ending_signals[i], &now, nullptr);
        }
    }
}

EndingSignals::~EndingSignals()
{
    for (std::size_t i = 0; i < ending_signals.size(); ++i) {
        ::sigaction(ending_signals[i], &before_[i], nullptr);
    }
    for (auto& end : wakeup) {
        if (end >= 0) {
            ::close(end);
        }
        end = -1;
    }
}

void EndingSignals::pass_on_to(pid_t child)
{
    running_child = child;
    if (child > 0 && interrupted != 0) {
        ::kill(child, SIGTERM);
    }
}

bool was_interrupted()
{
    return interrupted != 0;
}

Input wait_for_input(int timer)
{
    while (interrupted == 0) {
        std::array<pollfd, 3> all = {{{STDIN_FILENO, POLLIN, 0}, {wakeup[0], POLLIN, 0}, {timer, POLLIN, 0}}};
        if (::poll(all.data(), all.size(), -1) > 0 && interrupted == 0 && (all[0].revents | all[2].revents) != 0) {
            return all[2].revents != 0 ? Input::too_late : Input::there;
        }
    }
    return Input::interrupted;
}

}  // namespace shelfd::ctl

#include "ctl/context/ending_signals.hpp"

namespace shelfd::ctl {
namespace {

constexpr std::array<int, 3> numbers = {SIGINT, SIGTERM, SIGHUP};

// Global because a signal handler needs them.
volatile sig_atomic_t running_child = 0;
volatile sig_atomic_t interrupted = 0;

void note(int)
{
    interrupted = 1;
    if (running_child > 0) {
        ::kill(running_child, SIGTERM);
    }
}

}  // namespace

EndingSignals::EndingSignals()
{
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        ::sigaction(numbers[i], nullptr, &before_[i]);
        if (before_[i].sa_handler != SIG_IGN) {
            struct sigaction now {};
            now.sa_handler = note;
            ::sigaction(numbers[i], &now, nullptr);
        }
    }
}

EndingSignals::~EndingSignals()
{
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        ::sigaction(numbers[i], &before_[i], nullptr);
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

}  // namespace shelfd::ctl

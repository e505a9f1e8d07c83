// Signals that tell shelfctl to end where it has to tidy up first: a daemon of its own, private directories.
#pragma once

#include <array>
#include <csignal>

#include <sys/types.h>

namespace shelfd::ctl {

// SIGPIPE: nobody reads any more what is printed.
inline constexpr std::array<int, 5> ending_signals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

// While this object exists, `ending_signals` do not end the process: system calls that wait return with EINTR (no
// SA_RESTART), writes to a closed pipe fail with EPIPE, and `was_interrupted` is true from then on. A signal that is
// ignored stays ignored, as nohup(1) needs it. One at a time; for a process with one thread.
class EndingSignals {
public:
    EndingSignals();
    EndingSignals(const EndingSignals&) = delete;
    EndingSignals& operator=(const EndingSignals&) = delete;
    ~EndingSignals();

    // The process that gets SIGTERM together with us; 0 = none. If a signal came before, it gets it at once.
    static void pass_on_to(pid_t child);

private:
    std::array<struct sigaction, ending_signals.size()> before_{};
};

// True once a signal told this process to end while an EndingSignals existed. Whoever waits or reads asks after each
// EINTR, and returns; errors of such a process are consequences and not reported (see `fail`).
bool was_interrupted();

enum class Input { there, too_late, interrupted };

// Blocks until standard input can be read or has ended, or until `timer` can be read (timerfd_create(2); -1 = no
// limit). `interrupted` once a signal told this process to end, whenever that was: before the call, too.
Input wait_for_input(int timer = -1);

}  // namespace shelfd::ctl

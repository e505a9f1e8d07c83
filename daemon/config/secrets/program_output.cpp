#include "config/secrets/program_output.hpp"

#include "base/regular_file.hpp"
#include "config/secrets/program_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace shelfd::config {
namespace {

Error failed(const char* what, int number)
{
    const auto kind = is_shortage(number) ? ErrorKind::storage : ErrorKind::config;
    return Error(kind, fmt::format("{}: {}", what, std::strerror(number))).with_errno(number);
}

class Pipe {
public:
    Pipe() = default;
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe()
    {
        close_end(0);
        close_end(1);
    }
    bool open() { return ::pipe2(ends_, O_CLOEXEC) == 0; }
    void close_end(int end)
    {
        if (ends_[end] >= 0) {
            ::close(std::exchange(ends_[end], -1));
        }
    }
    int reading() const { return ends_[0]; }
    int writing() const { return ends_[1]; }

private:
    int ends_[2] = {-1, -1};
};

// A time limit as a descriptor: readable once it has passed, independent of the wall clock.
class Limit {
public:
    explicit Limit(std::chrono::milliseconds length) : timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC))
    {
        if (!is_set()) {
            return;
        }
        itimerspec once{};
        once.it_value.tv_sec = static_cast<time_t>(length.count() / 1'000);
        once.it_value.tv_nsec = static_cast<long>(length.count() % 1'000 * 1'000'000);
        ::timerfd_settime(timer_, 0, &once, nullptr);
    }
    Limit(const Limit&) = delete;
    Limit& operator=(const Limit&) = delete;
    ~Limit()
    {
        if (is_set()) {
            ::close(timer_);
        }
    }
    bool is_set() const { return timer_ >= 0; }

    // Waits until `descriptor` is readable. Returns false if the limit passed first.
    bool allows_wait_for(int descriptor) const
    {
        pollfd waiting[2] = {{descriptor, POLLIN, 0}, {timer_, POLLIN, 0}};
        while (::poll(waiting, 2, -1) < 0 && errno == EINTR) {
        }
        return waiting[1].revents == 0;
    }

private:
    int timer_;
};

Result<void> read_all(int descriptor, const Limit& limit, std::size_t largest, std::string& output)
{
    for (;;) {
        if (!limit.allows_wait_for(descriptor)) {
            return Error(ErrorKind::timeout, "took too long");
        }
        const auto used = output.size();
        // The buffer is full: read and discard, so that a full pipe does not block the program.
        char rest[4'096];
        const bool has_room = used <= largest;
        if (has_room) {
            output.resize(largest + 1);
        }
        const auto count = has_room ? ::read(descriptor, output.data() + used, output.size() - used)
                                    : ::read(descriptor, rest, sizeof rest);
        const int number = errno;
        if (has_room) {
            output.resize(used + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        }
        if (count == 0) {
            return {};
        }
        if (count < 0 && number != EINTR) {
            return failed("its output cannot be read", number);
        }
    }
}

int wait_status(pid_t child)
{
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

// A program may close its output and keep running: the limit includes its end.
bool ends_within(const Limit& limit, pid_t child)
{
    const int handle = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
    if (handle < 0) {
        return true;  // kernels before 5.3: the caller waits without a limit
    }
    const bool ended = limit.allows_wait_for(handle);
    ::close(handle);
    return ended;
}

}  // namespace

Result<void> read_program_output(const std::vector<std::string>& command, std::chrono::milliseconds longest,
                                 std::size_t largest, std::string& output)
{
    const Limit limit(longest);
    Pipe pipe;
    if (!limit.is_set() || !pipe.open()) {
        return failed("cannot be started", errno);
    }
    Launch launch;
    launch.output = pipe.writing();
    SHELFD_TRY_ASSIGN(child, start_program(command, launch));
    pipe.close_end(1);
    auto outcome = read_all(pipe.reading(), limit, largest, output);
    if (outcome && !ends_within(limit, child)) {
        outcome = Error(ErrorKind::timeout, "took too long");
    }
    if (!outcome) {
        ::kill(-child, SIGKILL);
    }
    const int status = wait_status(child);
    if (!outcome) {
        return outcome.error();
    }
    if (WIFSIGNALED(status)) {
        return Error(ErrorKind::config, fmt::format("was killed by signal {}", WTERMSIG(status)));
    }
    if (WEXITSTATUS(status) != 0) {
        return Error(ErrorKind::config, fmt::format("exited with {}", WEXITSTATUS(status)));
    }
    return {};
}

}  // namespace shelfd::config

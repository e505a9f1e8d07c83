#include "app/alerts/hook_program.hpp"

#include "base/file_descriptor.hpp"
#include "base/words/safe_text.hpp"
#include "config/secrets/program_start.hpp"
#include "runtime/async/deadline.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace shelfd::app {
namespace {

constexpr std::size_t max_complaint = 300;
constexpr Duration longest_dying = std::chrono::seconds(5);

Error failed(const char* what, int number)
{
    return Error(ErrorKind::config, fmt::format("{}: {}", what, std::strerror(number))).with_errno(number);
}

// A running program. The destructor kills it, with its children, unless it was waited for.
class Child {
public:
    Child() = default;
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child()
    {
        if (pid_ > 0) {
            kill();
            reap();
        }
    }
    void kill() const { ::kill(-pid_, SIGKILL); }

    Result<void> start(const HookProgram& program)
    {
        // A file in memory instead of a pipe: nobody has to write while the program reads.
        const FileDescriptor input(::memfd_create("hook", MFD_CLOEXEC));
        if (!input ||
            ::write(input.get(), program.input.data(), program.input.size()) !=
                static_cast<ssize_t>(program.input.size()) ||
            ::lseek(input.get(), 0, SEEK_SET) != 0) {
            return failed("its input cannot be made", errno);
        }
        int ends[2] = {-1, -1};
        if (::pipe2(ends, O_CLOEXEC) != 0) {
            return failed("cannot be started", errno);
        }
        errors_ = FileDescriptor(ends[0]);
        const FileDescriptor writing(ends[1]);
        config::Launch launch;
        launch.input = input.get();
        launch.errors = writing.get();
        launch.environment = program.environment;
        SHELFD_TRY_ASSIGN(pid, config::start_program(program.command, launch));
        pid_ = pid;
        // Not in the headers of Debian 12; the kernel has it since 5.3.
        end_ = FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
        return end_ ? Result<void>() : failed("cannot be watched", errno);
    }

    // Of standard error; the caller closes it.
    int release_errors() { return errors_.release(); }
    // Readable once the program has ended; likewise.
    int release_end() { return end_.release(); }
    // Empty while it runs.
    std::optional<int> status()
    {
        int status = 0;
        if (::waitpid(pid_, &status, WNOHANG) != pid_) {
            return std::nullopt;
        }
        pid_ = 0;
        return status;
    }

private:
    // A killed program ends at once unless it waits for a device; the loop does not wait for one.
    void reap()
    {
        for (int tries = 0; tries < 50 && ::waitpid(pid_, nullptr, WNOHANG) == 0; ++tries) {
            ::poll(nullptr, 0, 1);  // a millisecond
        }
    }

    pid_t pid_ = 0;
    FileDescriptor errors_;
    FileDescriptor end_;
};

// Never returns: a program stops at a full pipe if nobody reads.
asio::awaitable<int> drain(asio::posix::stream_descriptor& errors, std::string& kept)
{
    std::array<char, 4'096> piece{};
    for (;;) {
        auto reading = errors.async_read_some(asio::buffer(piece), asio::as_tuple(asio::use_awaitable));
        const auto [error, count] = co_await std::move(reading);
        if (error) {
            break;
        }
        kept.append(piece.data(), std::min(count, max_complaint - std::min(max_complaint, kept.size())));
    }
    asio::steady_timer never(co_await asio::this_coro::executor, asio::steady_timer::time_point::max());
    co_await never.async_wait(asio::use_awaitable);
    co_return 0;
}

asio::awaitable<int> wait_for_end(asio::posix::stream_descriptor& end)
{
    co_await end.async_wait(asio::posix::stream_descriptor::wait_read, asio::use_awaitable);
    co_return 0;
}

asio::awaitable<int> watch(asio::posix::stream_descriptor& end, asio::posix::stream_descriptor& errors,
                           std::string& complaint)
{
    using namespace asio::experimental::awaitable_operators;
    auto ending = wait_for_end(end);
    auto draining = drain(errors, complaint);
    co_await (std::move(ending) || std::move(draining));
    co_return 0;
}

// ": sendmail: no such host"; "" if it wrote nothing.
std::string told_by(const std::string& complaint)
{
    const auto line = complaint.substr(0, complaint.find('\n'));
    return line.empty() ? "" : ": " + escape_line(line);
}

Result<void> outcome_of(int status, const std::string& complaint)
{
    if (WIFSIGNALED(status)) {
        return Error(ErrorKind::refused, fmt::format("was ended by signal {}{}", WTERMSIG(status), told_by(complaint)));
    }
    if (WEXITSTATUS(status) != 0) {
        return Error(ErrorKind::refused, fmt::format("exited with {}{}", WEXITSTATUS(status), told_by(complaint)));
    }
    return {};
}

}  // namespace

asio::awaitable<Result<void>> run_hook_program(Clock& clock, Lane lane, HookProgram program)
{
    Child child;
    auto start = [&child, &program] { return child.start(program); };
    const auto started = co_await lane.run(start);
    if (!started) {
        co_return started.error();
    }
    const auto executor = co_await asio::this_coro::executor;
    asio::posix::stream_descriptor errors(executor, child.release_errors());
    asio::posix::stream_descriptor end(executor, child.release_end());
    std::string complaint;
    auto watching = watch(end, errors, complaint);
    const auto ended = co_await with_deadline(clock, std::move(watching), program.timeout);
    if (!ended) {
        // Waited for, so that no zombie remains.
        child.kill();
        auto dying = wait_for_end(end);
        co_await with_deadline(clock, std::move(dying), longest_dying);
    }
    const auto status = child.status();
    if (!ended || !status) {
        co_return Error(ErrorKind::timeout,
                        fmt::format("took longer than {}{}", describe_duration(program.timeout), told_by(complaint)));
    }
    if (complaint.empty()) {
        // Its last output: its end may have been noticed first.
        std::array<char, max_complaint> rest{};
        errors.non_blocking(true);
        boost::system::error_code error;
        complaint.assign(rest.data(), errors.read_some(asio::buffer(rest), error));
    }
    co_return outcome_of(*status, complaint);
}

}  // namespace shelfd::app

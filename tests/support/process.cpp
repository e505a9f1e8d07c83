#include "support/process.hpp"

#include "support/temp_directory.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace shelfd {
namespace {

// Everything the child needs between fork and exec: there, in a copy of a program with threads, nothing may be
// allocated.
struct Plan {
    const char* program;
    char* const* arguments;
    char* const* environment;
    std::array<const char*, 3> files;  // standard input, output, error
    pid_t parent;
    int complaint;  // where to write the errno of what failed
};

std::vector<char*> pointers(std::vector<std::string>& texts)
{
    std::vector<char*> out;
    for (auto& text : texts) {
        out.push_back(text.data());
    }
    out.push_back(nullptr);
    return out;
}

bool lend_files(const Plan& plan)
{
    for (int number = 0; number < 3; ++number) {
        const int flags = number == STDIN_FILENO ? O_RDONLY : O_WRONLY | O_CREAT | O_APPEND;
        const int file = open(plan.files[static_cast<std::size_t>(number)], flags, 0600);
        if (file < 0 || (file != number && (dup2(file, number) < 0 || close(file) != 0))) {
            return false;
        }
    }
    return true;
}

[[noreturn]] void become(const Plan& plan)
{
    // A test program that is killed takes its programs along.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != plan.parent) {
        _exit(127);
    }
    if (lend_files(plan)) {
        execve(plan.program, plan.arguments, plan.environment);
    }
    const int error = errno;
    [[maybe_unused]] const auto told = write(plan.complaint, &error, sizeof error);
    _exit(127);
}

}  // namespace

Process::Process(const Settings& settings)
{
    auto arguments = settings.argv;
    std::vector<std::string> variables;
    for (const auto& [name, value] : settings.environment) {
        variables.push_back(name + "=" + value);
    }
    const auto argv = pointers(arguments);
    const auto envp = pointers(variables);
    std::array<int, 2> complaints{};
    if (pipe2(complaints.data(), O_CLOEXEC) != 0) {
        throw std::runtime_error("cannot make a pipe");
    }
    const Plan plan{arguments.front().c_str(),
                    argv.data(),
                    envp.data(),
                    {settings.stdin_file.c_str(), settings.stdout_file.c_str(), settings.stderr_file.c_str()},
                    getpid(),
                    complaints[1]};
    pid_ = fork();
    if (pid_ == 0) {
        become(plan);
    }
    close(complaints[1]);
    int error = pid_ < 0 ? errno : 0;
    // Ends without a byte once the program runs.
    if (pid_ > 0 && read(complaints[0], &error, sizeof error) > 0) {
        wait();
    }
    close(complaints[0]);
    if (error != 0) {
        throw std::runtime_error("cannot start " + settings.argv.front() + ": " + std::strerror(error));
    }
}

Process::~Process()
{
    if (!reaped_) {
        signal(SIGKILL);
        wait();
    }
}

bool Process::running()
{
    int status = 0;
    if (!reaped_ && waitpid(pid_, &status, WNOHANG) == pid_) {
        reaped_ = true;
        status_ = {WIFEXITED(status) ? WEXITSTATUS(status) : -1, WIFSIGNALED(status) ? WTERMSIG(status) : 0};
    }
    return !reaped_;
}

void Process::signal(int number) const
{
    if (!reaped_) {
        kill(pid_, number);
    }
}

ExitStatus Process::wait()
{
    int status = 0;
    while (!reaped_) {
        if (waitpid(pid_, &status, 0) == pid_) {
            reaped_ = true;
            status_ = {WIFEXITED(status) ? WEXITSTATUS(status) : -1, WIFSIGNALED(status) ? WTERMSIG(status) : 0};
        } else if (errno != EINTR) {
            throw std::runtime_error("cannot wait for a process");
        }
    }
    return status_;
}

Ran run_program(const std::vector<std::string>& argv, const std::map<std::string, std::string>& environment,
                const std::string& input)
{
    const TempDirectory files;
    write_file(files / "in", input);
    Process process({argv, environment, files / "in", files / "out", files / "err"});
    const auto status = process.wait();
    return {status.signal != 0 ? 128 + status.signal : status.code, read_file(files / "out"), read_file(files / "err")};
}

}  // namespace shelfd

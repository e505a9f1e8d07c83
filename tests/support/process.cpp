#include "support/process.hpp"

#include "support/temp_directory.hpp"

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace shelfd {
namespace {

class FileActions {
public:
    FileActions() { posix_spawn_file_actions_init(&actions_); }
    ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
    FileActions(const FileActions&) = delete;
    FileActions& operator=(const FileActions&) = delete;
    void open(int fd, const std::string& path, int flags)
    {
        posix_spawn_file_actions_addopen(&actions_, fd, path.c_str(), flags, 0600);
    }
    const posix_spawn_file_actions_t* get() const { return &actions_; }

private:
    posix_spawn_file_actions_t actions_{};
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

}  // namespace

Process::Process(const Settings& settings)
{
    auto arguments = settings.argv;
    std::vector<std::string> variables;
    for (const auto& [name, value] : settings.environment) {
        variables.push_back(name + "=" + value);
    }
    FileActions actions;
    actions.open(STDIN_FILENO, settings.stdin_file, O_RDONLY);
    actions.open(STDOUT_FILENO, settings.stdout_file, O_WRONLY | O_CREAT | O_APPEND);
    actions.open(STDERR_FILENO, settings.stderr_file, O_WRONLY | O_CREAT | O_APPEND);
    const int error = posix_spawn(&pid_, arguments.front().c_str(), actions.get(), nullptr, pointers(arguments).data(),
                                  pointers(variables).data());
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

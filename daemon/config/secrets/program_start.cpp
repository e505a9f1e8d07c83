#include "config/secrets/program_start.hpp"

#include <fmt/format.h>

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <unistd.h>

namespace shelfd::config {
namespace {

// The attributes and actions of posix_spawn, freed together.
class SpawnPlan {
public:
    SpawnPlan()
    {
        ::posix_spawn_file_actions_init(&actions_);
        ::posix_spawnattr_init(&attributes_);
    }
    SpawnPlan(const SpawnPlan&) = delete;
    SpawnPlan& operator=(const SpawnPlan&) = delete;
    ~SpawnPlan()
    {
        ::posix_spawn_file_actions_destroy(&actions_);
        ::posix_spawnattr_destroy(&attributes_);
    }

    void reset_signals_and_group()
    {
        sigset_t none{}, all{};
        ::sigemptyset(&none);
        ::sigfillset(&all);
        ::posix_spawnattr_setsigmask(&attributes_, &none);
        ::posix_spawnattr_setsigdefault(&attributes_, &all);
        ::posix_spawnattr_setpgroup(&attributes_, 0);
        ::posix_spawnattr_setflags(&attributes_,
                                   POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    }
    void give(int descriptor, int as)
    {
        if (descriptor < 0) {
            ::posix_spawn_file_actions_addopen(&actions_, as, "/dev/null", as == STDIN_FILENO ? O_RDONLY : O_WRONLY, 0);
        } else {
            ::posix_spawn_file_actions_adddup2(&actions_, descriptor, as);
        }
    }
    void close_the_rest() { ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1); }
    int start(char* const* arguments, char* const* environment, pid_t& child)
    {
        return ::posix_spawn(&child, arguments[0], &actions_, &attributes_, arguments, environment);
    }

private:
    posix_spawn_file_actions_t actions_{};
    posix_spawnattr_t attributes_{};
};

// The daemon raises its own limit as far as root allows. Programs expect the usual one: select() fails beyond it, and
// some close each descriptor below it. A program that has ended already needs none.
void limit_open_files(pid_t program)
{
    constexpr rlim_t usual = 1024;
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur > usual) {
        limit.rlim_cur = usual;
        ::prlimit(program, RLIMIT_NOFILE, &limit, nullptr);
    }
}

// For C: ends with a null pointer, lives as long as the texts.
std::vector<char*> pointers_to(const std::vector<std::string>& texts)
{
    std::vector<char*> pointers;
    for (const auto& text : texts) {
        pointers.push_back(const_cast<char*>(text.c_str()));
    }
    pointers.push_back(nullptr);
    return pointers;
}

}  // namespace

Result<pid_t> start_program(const std::vector<std::string>& command, const Launch& launch)
{
    SpawnPlan plan;
    plan.reset_signals_and_group();
    plan.give(launch.input, STDIN_FILENO);
    plan.give(launch.output, STDOUT_FILENO);
    plan.give(launch.errors, STDERR_FILENO);
    plan.close_the_rest();
    std::vector<std::string> variables = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/",
                                          "LANG=C"};
    variables.insert(variables.end(), launch.environment.begin(), launch.environment.end());
    const auto arguments = pointers_to(command);
    const auto environment = pointers_to(variables);
    pid_t child = 0;
    if (const int number = plan.start(arguments.data(), environment.data(), child); number != 0) {
        return Error(ErrorKind::config, fmt::format("cannot be started: {}", std::strerror(number))).with_errno(number);
    }
    limit_open_files(child);
    return child;
}

}  // namespace shelfd::config

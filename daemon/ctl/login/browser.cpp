#include "ctl/login/browser.hpp"

#include <array>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

namespace shelfd::ctl {

bool open_in_browser(const std::string& url, const Environment& environment, const rlimit& core_limit)
{
    std::string program = "xdg-open";
    std::string address = url;
    std::array<char*, 3> argv = {program.data(), address.data(), nullptr};
    std::vector<std::string> variables;
    for (const auto& [name, value] : environment) {
        variables.push_back(name + "=" + value);
    }
    std::vector<char*> pointers;
    for (auto& variable : variables) {
        pointers.push_back(variable.data());
    }
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    if (::posix_spawn_file_actions_init(&actions) != 0) {
        return false;
    }
    // The program must not read the person's input or print between our lines.
    bool ready = true;
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        ready = ready && ::posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0) == 0;
    }
    pid_t child = 0;
    rlimit ours{};
    ::getrlimit(RLIMIT_CORE, &ours);
    ::setrlimit(RLIMIT_CORE, &core_limit);  // inherited
    const bool started =
        ready && ::posix_spawnp(&child, program.c_str(), &actions, nullptr, argv.data(), pointers.data()) == 0;
    ::setrlimit(RLIMIT_CORE, &ours);
    ::posix_spawn_file_actions_destroy(&actions);
    return started;
}

}  // namespace shelfd::ctl

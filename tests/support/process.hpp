// A program under test as a process of its own: started, watched, signalled, waited for.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <sys/types.h>

namespace shelfd {

struct ExitStatus {
    int code = -1;   // exit code, -1 when a signal ended it
    int signal = 0;  // that signal, 0 when it exited
};

// Output goes to files named at the start, so that a test can read it at any time and nothing blocks. A process that
// is still there when the object dies is killed; so is one whose test program, or the thread that started it, dies.
class Process {
public:
    struct Settings {
        std::vector<std::string> argv;                   // argv[0] is the program's path
        std::map<std::string, std::string> environment;  // the whole of it
        std::string stdin_file = "/dev/null";
        std::string stdout_file = "/dev/null";
        std::string stderr_file = "/dev/null";
    };

    explicit Process(const Settings& settings);
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    ~Process();

    pid_t pid() const { return pid_; }
    bool running();
    void signal(int number) const;
    // Blocks until it has ended.
    ExitStatus wait();

private:
    pid_t pid_ = -1;
    bool reaped_ = false;
    ExitStatus status_;
};

// Runs a program to its end: exit code, what it printed, what it complained.
struct Ran {
    int code;
    std::string out;
    std::string err;
};
Ran run_program(const std::vector<std::string>& argv, const std::map<std::string, std::string>& environment = {},
                const std::string& input = "");

}  // namespace shelfd

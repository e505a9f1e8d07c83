// A program with a terminal of its own, as a person has it: what it shows, and what is typed.
#pragma once

#include "support/process.hpp"

#include <map>
#include <string>
#include <vector>

#include <sys/types.h>

namespace shelfd {

// Killed, with its terminal, if it is still there when the object dies.
class TerminalProcess {
public:
    TerminalProcess(std::vector<std::string> argv, const std::map<std::string, std::string>& environment);
    TerminalProcess(const TerminalProcess&) = delete;
    TerminalProcess& operator=(const TerminalProcess&) = delete;
    ~TerminalProcess();

    pid_t pid() const { return child_; }
    void type(const std::string& text) const;
    // Returns when the terminal has shown `text` after what was awaited before; false if the program has ended, or
    // after `seconds`.
    bool shows(const std::string& text, int seconds = 60);
    // Returns when what is typed is not shown; what was typed before that may be lost. False after `seconds`.
    bool hides(int seconds = 60);
    // Whether what is typed is shown now.
    bool echoes() const;
    // All of it.
    const std::string& screen() const { return screen_; }
    // Blocks until it has ended; code -1 and signal 0 if it has not after `seconds`.
    ExitStatus wait(int seconds = 60);

private:
    // False at the end of the program.
    bool read_some(int milliseconds);

    int master_ = -1;
    pid_t child_ = -1;
    bool reaped_ = false;
    std::string screen_;
    std::size_t seen_ = 0;
};

}  // namespace shelfd

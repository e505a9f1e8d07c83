// One verb, run without a process: what it was told in, what it printed out.
#pragma once

#include "ctl/captured_terminal.hpp"
#include "ctl/verbs.hpp"
#include "support/temp_directory.hpp"

#include <string>

namespace shelfd::ctl {

struct VerbBench {
    TempDirectory directory;
    Command command;
    Environment environment;
    CapturedTerminal captured;
    SystemClock clock;
    std::string input;  // standard input; "" = nothing
    std::string prompt;

    VerbBench()
    {
        command.config_file = directory / "shelfd.toml";
        environment["SHELFD_SOCKET"] = directory / "control.sock";
    }

    Context context()
    {
        auto read = [this](const std::string& text) -> Result<Secret> {
            prompt = text;
            if (input.empty()) {
                return Error(ErrorKind::usage, "nothing was given");
            }
            return Secret(std::string(input));
        };
        return {command, environment, captured.terminal, clock, std::move(read)};
    }
};

}  // namespace shelfd::ctl

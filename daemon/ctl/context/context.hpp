// What every verb works with: the command line, the terminal, and the person behind it.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "ctl/context/random_bytes.hpp"
#include "ctl/line/command.hpp"
#include "ctl/line/environment.hpp"
#include "ctl/line/exit_code.hpp"
#include "ctl/screen/terminal.hpp"
#include "runtime/async/clock.hpp"

#include <functional>
#include <string>

namespace shelfd::ctl {

// References to what the caller keeps alive.
struct Context {
    const Command& command;
    const Environment& environment;
    Terminal& terminal;
    Clock& clock;
    // All of standard input; a terminal is asked, and does not show what is typed.
    std::function<Result<Secret>(const std::string& prompt)> read_input;
    // One line of it; a terminal is asked, and shows what is typed.
    std::function<Result<Secret>(const std::string& prompt)> read_line = {};
    RandomBytes random = {};
    // Shows a page in the person's browser; false where none can be started.
    std::function<bool(const std::string& url)> browse = {};
};

// Says it and gives the exit code that goes with it.
ExitCode fail(const Context& context, const Error& error);
// The same for a daemon that cannot be reached.
ExitCode fail_without_daemon(const Context& context, const Error& error);

}  // namespace shelfd::ctl

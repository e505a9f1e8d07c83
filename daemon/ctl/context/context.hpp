// What every verb receives: the command line, the terminal, and input from the person.
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
#include <optional>
#include <string>
#include <string_view>

namespace shelfd::ctl {

// References must outlive this object.
struct Context {
    const Command& command;
    const Environment& environment;
    Terminal& terminal;
    Clock& clock;
    // Reads all of standard input; on a terminal with a prompt and without echo. `nothing` is the text of the error if
    // there is none.
    std::function<Result<Secret>(const std::string& prompt, std::string_view nothing)> read_input;
    // Reads one line; on a terminal with a prompt and with echo. Error timeout: it did not come within `patience`.
    std::function<Result<Secret>(const std::string& prompt, std::optional<Duration> patience)> read_line = {};
    RandomBytes random = {};
    // Shows a page in the person's browser; false if none can be started.
    std::function<bool(const std::string& url)> browse = {};
    // Reads one line; on a terminal with a prompt and without echo.
    std::function<Result<Secret>(const std::string& prompt)> read_secret = {};
};

// Prints the error, unless a signal told us to end (ending_signals.hpp), and returns its exit code.
ExitCode fail(const Context& context, const Error& error);
// The same for a file that a person named and that cannot be written: `command` is what to type with another name.
ExitCode fail_to_write(const Context& context, const Error& error, const std::string& command);
// The same for a daemon that cannot be reached.
ExitCode fail_without_daemon(const Context& context, const Error& error);

}  // namespace shelfd::ctl

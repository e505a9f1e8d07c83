// Operations of the daemon that answer line by line.
#pragma once

#include "ctl/context/context.hpp"
#include "ctl/daemon/json_reader.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace shelfd::ctl {

// Parses a line, and prints it as received if the output is JSON. Empty for a line that is not an object.
std::optional<boost::json::object> take_line(Terminal& terminal, Output output, std::string_view line);

// For an operation that has failed without a last line of the daemon: with --json prints that line, so that programs
// find each failure in one place. Returns `code`.
ExitCode end_with(const Context& context, const Error& error, ExitCode code);

// Starts the operation and passes each of its lines to `take` as it arrives. When the operation has ended, `finish` is
// told how, prints the result and returns the exit code. If it ended with an error, the error is printed after that,
// and its exit code takes precedence. `looked_up`: the library whose status says more about an error of the service;
// "" if the daemon ends with the command.
ExitCode run_stream(const Context& context, const std::string& path, const boost::json::object& body,
                    const std::function<void(std::string_view event, const JsonReader& line)>& take,
                    const std::function<ExitCode(const Result<void>& outcome)>& finish,
                    const std::string& looked_up = "");

}  // namespace shelfd::ctl

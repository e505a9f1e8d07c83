// Operations of the daemon that answer line by line.
#pragma once

#include "ctl/context/context.hpp"
#include "ctl/daemon/json_reader.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace shelfd::ctl {

// A line as an object, printed as it came where JSON was asked for; nothing for a line that is none.
std::optional<boost::json::object> take_line(Terminal& terminal, Output output, std::string_view line);

// Asks for the operation and gives every line of it to `take` as it comes. `finish` says what the lines came to and
// with which exit code, once the operation has ended; an error that it ended with is complained of behind that, and its
// exit code goes before.
ExitCode run_stream(const Context& context, const std::string& path, const boost::json::object& body,
                    const std::function<void(std::string_view event, const JsonReader& line)>& take,
                    const std::function<ExitCode()>& finish);

}  // namespace shelfd::ctl

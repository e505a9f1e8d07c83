// Reports of the daemon about a completed action: a sentence for people.
#pragma once

#include "ctl/context/context.hpp"
#include "ctl/daemon/client.hpp"

#include <string>
#include <string_view>

namespace boost::json {
class object;
}  // namespace boost::json

namespace shelfd::ctl {

// Prints the answer's sentence, or with --json the answer, or its error; returns the exit code.
ExitCode print_report(const Context& context, const Result<DaemonClient::Answer>& said);
ExitCode print_report(const Context& context, const boost::json::object& answer);

// For an error of a question to the service that names no command: where to read what the daemon knows of it.
Error with_status(const Error& error, const std::string& library);

// Errors: usage, if `name` cannot be the name of a library. One that can may be in a query or a file's name.
Result<void> check_library_name(std::string_view name);

}  // namespace shelfd::ctl

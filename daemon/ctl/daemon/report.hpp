// Reports of the daemon about a completed action: a sentence for people.
#pragma once

#include "ctl/context/context.hpp"
#include "ctl/daemon/client.hpp"

#include <string_view>

namespace shelfd::ctl {

// Prints the answer's sentence, or with --json the answer, or its error; returns the exit code.
ExitCode print_report(const Context& context, const Result<DaemonClient::Answer>& answer);

// Errors: usage, if `name` has other characters than the name of a library, so that it may not be in a query.
Result<void> check_library_name(std::string_view name);

}  // namespace shelfd::ctl

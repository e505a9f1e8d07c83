// What the daemon says when it has done something: a sentence for people.
#pragma once

#include "ctl/context/context.hpp"
#include "ctl/daemon/client.hpp"

#include <string_view>

namespace shelfd::ctl {

// Prints the answer's sentence, or says why there is none; the exit code that goes with it.
ExitCode print_report(const Context& context, const Result<DaemonClient::Answer>& answer);

// Whether the text may go into the query of a request as the name of a library, and the error where it may not.
Result<void> check_library_name(std::string_view name);

}  // namespace shelfd::ctl

// How the daemon ends when it cannot start.
#pragma once

#include "base/state/exit_code.hpp"
#include "base/result.hpp"

namespace shelfd::app {

// The exit of a start that failed with this error.
ExitCode exit_code_of(const Error& error);

}  // namespace shelfd::app

// The exit code of a daemon that cannot start.
#pragma once

#include "base/result.hpp"
#include "base/state/exit_code.hpp"

namespace shelfd::app {

// The exit code after this error at the start.
ExitCode exit_code_of(const Error& error);

}  // namespace shelfd::app

// The exit codes of shelfctl after errors.
#pragma once

#include "base/state/exit_code.hpp"
#include "base/result.hpp"

namespace shelfd::ctl {

// The exit code after that error.
ExitCode exit_code_of(const Error& error);

}  // namespace shelfd::ctl

// The exit codes of shelfctl after errors.
#pragma once

#include "base/result.hpp"
#include "base/state/exit_code.hpp"

namespace shelfd::ctl {

// The exit code after that error.
ExitCode exit_code_of(const Error& error);

}  // namespace shelfd::ctl

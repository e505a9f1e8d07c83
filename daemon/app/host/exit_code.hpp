// The exit code of a daemon that cannot start, and whether another start may help.
#pragma once

#include "base/result.hpp"
#include "base/state/exit_code.hpp"

namespace shelfd::app {

// The exit code after this error at the start.
ExitCode exit_code_of(const Error& error);

// True unless the status says what cures the error: not for a file of a newer shelfd, a library that was forgotten, or
// a bug.
bool may_restart_cure(const Error& error);

// For a reload. Errors of one library's files: a full disk, a directory of another user, a mirror by a newer shelfd.
bool is_of_one_library(const Error& error);

}  // namespace shelfd::app

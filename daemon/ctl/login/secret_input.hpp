// Reads standard input as a secret: no echo, no copies.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"

#include <string>

namespace shelfd::ctl {

// Reads everything up to the end. On a terminal, shows `prompt` on standard error, does not echo, and also stops at an
// empty line. Errors: usage, for more than 1 MiB or no input.
Result<Secret> read_standard_input(const std::string& prompt);

// Reads the first line, without its end. On a terminal, shows `prompt` on standard error and
// does not echo. Errors: usage, for no line, or one that is too long.
Result<Secret> read_secret_line(const std::string& prompt);

// Reads the first line, without its end. On a terminal, shows `prompt` and echoes.
Result<Secret> read_line(const std::string& prompt);

}  // namespace shelfd::ctl

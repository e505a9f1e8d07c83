// Reads secrets from standard input or a file: no echo, no copies. What reads standard input fails with kind stopped
// once EndingSignals caught a signal.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"

#include <string>

namespace shelfd::ctl {

// Reads everything up to the end. On a terminal, shows `prompt` on standard error, does not echo, and also stops at an
// empty line, but asks again after Enter alone. Errors: usage, for more than 8 MiB or no input.
Result<Secret> read_standard_input(const std::string& prompt);

// Reads the first line that is not empty, without its end. On a terminal, shows `prompt` on standard error, does not
// echo, and asks again after Enter alone. Errors: usage, for no line, or one that is too long.
Result<Secret> read_secret_line(const std::string& prompt);

// Reads the first line that is not empty, without its end. On a terminal, shows `prompt` and echoes, and takes Enter
// alone as an empty answer.
Result<Secret> read_line(const std::string& prompt);

// A file with a secret of one line, or with a token set, without line ends at its end. Errors: as reading it, with the
// path; usage, if it is empty.
Result<Secret> read_secret_file(const std::string& path);

}  // namespace shelfd::ctl

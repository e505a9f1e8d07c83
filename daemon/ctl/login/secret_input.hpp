// Reads secrets from standard input: no echo, no copies. What reads standard input fails with kind stopped
// once EndingSignals caught a signal.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace shelfd::ctl {

// Reads everything up to the end. On a terminal, shows `prompt` on standard error, does not echo, and also stops at an
// empty line, but asks again after Enter alone. Errors: usage, for more than 8 MiB, or with the text `nothing` for no
// input.
Result<Secret> read_standard_input(const std::string& prompt, std::string_view nothing);

// Reads the first line that is not empty, without its end. On a terminal, shows `prompt` on standard error, does not
// echo, and asks again after Enter alone. Errors: usage, for no line, or one that is too long.
Result<Secret> read_secret_line(const std::string& prompt);

// Reads the first line that is not empty, without its end. On a terminal, shows `prompt` and echoes, and takes Enter
// alone as an empty answer. Errors: usage, for no line, or one that is too long; timeout, if it is not complete within
// `patience` (empty = no limit).
Result<Secret> read_line(const std::string& prompt, std::optional<Duration> patience);

}  // namespace shelfd::ctl

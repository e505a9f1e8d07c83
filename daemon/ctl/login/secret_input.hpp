// Standard input as a secret: not echoed, not kept.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"

#include <string>

namespace shelfd::ctl {

// Everything up to the end. On a terminal `prompt` is shown on standard error and what is typed is not; an empty line
// ends it, too. Errors: usage, for more than 1 MiB or nothing at all.
Result<Secret> read_standard_input(const std::string& prompt);

// The first line alone, without its end; on a terminal `prompt` is shown, and so is what is typed.
Result<Secret> read_line(const std::string& prompt);

}  // namespace shelfd::ctl

// The verb try: a mirror without a configuration.
#pragma once

#include "ctl/context/context.hpp"
#include "ctl/line/exit_code.hpp"

namespace shelfd::ctl {

// Blocks, writes to the terminal, and returns an exit code, as all verbs do.
ExitCode run_try(const Context& context);

}  // namespace shelfd::ctl

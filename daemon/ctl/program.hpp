// shelfctl from argv to exit code.
#pragma once

#include "base/state/exit_code.hpp"
#include "ctl/context/places.hpp"

namespace shelfd::ctl {

// main reads the environment and passes it in.
ExitCode run(int argc, const char* const* argv, const Environment& environment);

}  // namespace shelfd::ctl

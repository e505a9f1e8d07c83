// shelfctl from argv to exit code.
#pragma once

#include "base/state/exit_code.hpp"
#include "ctl/context/places.hpp"

#include <sys/resource.h>

namespace shelfd::ctl {

// main reads the environment and passes it in. `core_limit`: of core files, for programs started for the person.
ExitCode run(int argc, const char* const* argv, const Environment& environment, const rlimit& core_limit);

}  // namespace shelfd::ctl

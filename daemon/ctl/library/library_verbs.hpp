// The verbs about the life of a library: added, renamed, paused, forgotten. Each changes the configuration as a person
// would, checks it, and has the daemon reload it; what is on the daemon's disks only the daemon changes.
#pragma once

#include "ctl/context/context.hpp"

namespace shelfd::ctl {

ExitCode run_library_list(const Context& context);
ExitCode run_library_add(const Context& context);
ExitCode run_library_rename(const Context& context);
ExitCode run_library_pause(const Context& context);
ExitCode run_library_resume(const Context& context);
ExitCode run_library_forget(const Context& context);

}  // namespace shelfd::ctl

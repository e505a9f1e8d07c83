// The token sets of all libraries move to another machine, a line each.
#pragma once

#include "ctl/context/context.hpp"

namespace shelfd::ctl {

// After check_set_output. A set is printed before the next one is asked for: at most one is marked as moved and not
// printed, and the same command prints it again. Libraries without a set are named and skipped; one that is refused
// stops no other, and the exit code says so.
ExitCode move_out_all(const Context& context);

// Takes what move_out_all printed: reads standard input to its end first, in one buffer that is wiped; each line goes
// to the daemon by itself. A library whose set works here already is skipped, so the same input may be given again.
ExitCode move_in_all(const Context& context);

}  // namespace shelfd::ctl

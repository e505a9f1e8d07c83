// Where the daemon listens and where its mirrors are, as far as this user may know.
#pragma once

#include "base/result.hpp"
#include "ctl/line/command.hpp"
#include "ctl/line/environment.hpp"

#include <string>

namespace shelfd::ctl {

struct Places {
    std::string socket;
    std::string mirrors;  // directory
    // Why these are the usual ones though --config named a file: it cannot be read, or not whole. "" = all is well.
    std::string socket_trouble;
    std::string mirrors_trouble;
};

// Looks at --socket, SHELFD_SOCKET and the configuration, in this order. A configuration with faults is read as far as
// possible: `shelfctl reload` has to find the daemon that refuses it. The usual file may be missing, or closed to this
// user, as it is to members of the readers' group: that leaves the defaults. Another one that --config named may not.
Places find_places(const Command& command, const Environment& environment);

// Config, when the verb would act on the usual daemon, or look at its mirrors, though --config named another file.
Result<void> check_places(const Command& command, const Environment& environment);

}  // namespace shelfd::ctl

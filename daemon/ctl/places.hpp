// Where the daemon listens and where its mirrors are, as far as this user may know.
#pragma once

#include "ctl/command.hpp"

#include <map>
#include <string>

namespace shelfd::ctl {

struct Places {
    std::string socket;
    std::string mirrors;  // directory
};

using Environment = std::map<std::string, std::string>;

// Looks at --socket, SHELFD_SOCKET and the configuration, in this order. A configuration with faults is read as far as
// possible: `shelfctl reload` has to find the daemon that refuses it. One that may not be read, as for a member of the
// readers' group, leaves the defaults.
Places find_places(const Command& command, const Environment& environment);

}  // namespace shelfd::ctl

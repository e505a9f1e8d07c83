// The daemon's socket and the directory of its mirrors, as far as this user may read them.
#pragma once

#include "base/result.hpp"
#include "ctl/line/command.hpp"
#include "ctl/line/environment.hpp"

#include <string>

namespace shelfd::config {
struct Configuration;
}  // namespace shelfd::config

namespace shelfd::ctl {

struct Places {
    std::string socket;
    std::string mirrors;  // directory
    // Why the default is used although --config named a file: the file cannot be read completely. "" = no trouble.
    std::string socket_trouble;
    std::string mirrors_trouble;
};

// Looks at --socket, SHELFD_SOCKET and the configuration, in this order. A configuration with faults is read as far as
// possible: `shelfctl reload` must find the daemon that refuses it. The default file may be missing or unreadable, as
// it is for members of the readers' group: then the defaults apply. A file named by --config may not.
Places find_places(const Command& command, const Environment& environment);

// Errors: config, if the verb would use the default daemon or its mirrors although --config named another file.
Result<void> check_places(const Command& command, const Environment& environment);

// For a library that the configuration does not have. Kind: not_found.
Error no_library(const Command& command, const config::Configuration& configuration);

}  // namespace shelfd::ctl

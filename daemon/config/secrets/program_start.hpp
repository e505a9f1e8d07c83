// Starts a program without a shell, in its own process group, without our open descriptors.
#pragma once

#include "base/result.hpp"

#include <string>
#include <vector>

#include <sys/types.h>

namespace shelfd::config {

// Descriptors that become those of the program; -1 = /dev/null.
struct Launch {
    int input = -1;
    int output = -1;
    int errors = -1;
    std::vector<std::string> environment = {};  // "NAME=value", beside PATH, HOME and LANG=C
};

// `command` is the path of a program, then its arguments. The process id is that of its group, too: killing the
// group kills its children as well. The caller must wait for it. Signals have their defaults, and at most 1,024 files
// may be open unless it asks for more. Error config: it cannot be started, with errno. Blocks until the program was
// executed.
Result<pid_t> start_program(const std::vector<std::string>& command, const Launch& launch);

}  // namespace shelfd::config

// How the daemon ends, in the numbers of sysexits.h; the unit restarts all but 64, 77 and 78.
#pragma once

#include "base/result.hpp"

namespace shelfd::app {

enum class ExitCode {
    success = 0,
    late = 1,           // --once: a table is late or filling
    needs_person = 2,   // --once: a person has to do something
    usage = 64,         // bad command line
    socket_taken = 69,  // the control socket belongs to another program
    bug = 70,           // a broken invariant
    storage = 74,       // a disk refuses
    busy = 75,          // another instance holds the storage
    permission = 77,    // owner or mode of a file is wrong
    config = 78,        // the configuration must change
};

// The exit of a start that failed with this error.
ExitCode exit_code_of(const Error& error);

}  // namespace shelfd::app

// How shelfctl ends: what a script may branch on.
#pragma once

#include "base/result.hpp"

namespace shelfd::ctl {

enum class ExitCode {
    done = 0,          // done; `status`: everything is fresh
    failed = 1,        // it did not work; `status`: late or filling
    needs_person = 2,  // somebody has to act before it can work
    no_daemon = 3,     // nobody answers on the control socket
    gap = 4,           // `changes`: what happened since the position is not all in the feed
    usage = 64,        // bad command line, a library or table that is not there
    output = 74,       // what was to be printed could not be written
    try_later = 75,    // time-out, rate limit, busy
    not_allowed = 77,  // rights are missing
    config = 78,       // the configuration has faults
};

// The exit after that error.
ExitCode exit_code_of(const Error& error);

}  // namespace shelfd::ctl

// How the programs end, in the numbers of sysexits.h where there is one: what a script or a unit may branch on.
#pragma once

namespace shelfd {

// Shared by shelfd and shelfctl. The unit restarts shelfd after all but 0, 64, 77 and 78.
enum class ExitCode {
    done = 0,           // done; `status` and --once: everything is fresh or paused
    failed = 1,         // it did not work; `status` and --once: a table is late or filling
    needs_person = 2,   // a person has to act before it can work
    no_daemon = 3,      // nobody answers on the control socket
    gap = 4,            // `changes`: what happened since the position is not all in the feed
    usage = 64,         // bad command line; shelfctl: a library or table that is not there
    socket_taken = 69,  // the control socket belongs to another program
    bug = 70,           // a broken invariant
    storage = 74,       // a disk cannot be read or written; output could not be written
    busy = 75,          // another instance holds the storage; shelfctl: time-out, rate limit, busy
    permission = 77,    // owner or mode of a file is wrong; shelfctl: rights are missing
    config = 78,        // the configuration must change
};

// For `main` and JSON.
constexpr int number_of(ExitCode code)
{
    return static_cast<int>(code);
}

}  // namespace shelfd

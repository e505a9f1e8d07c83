// Finds programs that keep the WAL of a mirror from being emptied, because they are inside a read transaction.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace shelfd::ctl {

struct PinningReader {
    pid_t pid = 0;
    std::string command;  // as in /proc, "" if it may not be read
};

// Returns the programs other than `except` that hold SQLite's locks on the -shm file of `mirror`, by /proc/locks. None
// in another pid namespace, or if /proc is not readable.
std::vector<PinningReader> find_pinning_readers(const std::string& mirror, pid_t except);

}  // namespace shelfd::ctl

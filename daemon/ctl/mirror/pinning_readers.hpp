// Who keeps the write-ahead log of a mirror from being emptied: programs that are inside a read transaction.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace shelfd::ctl {

struct PinningReader {
    pid_t pid = 0;
    std::string command;  // as in /proc, "" when it may not be read
};

// Those other than `except`, by SQLite's locks in the file -shm beside `mirror`, as /proc/locks has them. Whoever looks
// from another pid namespace, or where /proc is closed, sees none.
std::vector<PinningReader> find_pinning_readers(const std::string& mirror, pid_t except);

}  // namespace shelfd::ctl

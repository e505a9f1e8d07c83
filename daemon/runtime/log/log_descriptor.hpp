// A descriptor that log lines are written to without ever waiting for whoever reads it.
#pragma once

#include "runtime/log/log_queue.hpp"

namespace shelfd {

// Standard error belongs to others, too: its own flags are left as they are. A pipe or a terminal is opened once more
// instead, for itself alone, where that is allowed; a socket is sent to without waiting. A file is written to as it is.
class LogDescriptor {
public:
    // `descriptor` stays open longer than this.
    explicit LogDescriptor(int descriptor);
    LogDescriptor(const LogDescriptor&) = delete;
    LogDescriptor& operator=(const LogDescriptor&) = delete;
    ~LogDescriptor();

    LogQueue::Sent send(std::string& text, std::chrono::milliseconds patience) const;

private:
    enum class Way {
        write,      // a file, or a descriptor of our own that never waits
        send,       // a socket
        look_first  // a pipe that is not ours to open: no more at once than it takes for sure
    };
    long write_some(const std::string& text) const;

    int descriptor_;
    int own_ = -1;
    Way way_ = Way::write;
};

}  // namespace shelfd

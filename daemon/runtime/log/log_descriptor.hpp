// A file descriptor for log lines that never blocks on its reader.
#pragma once

#include "runtime/log/log_queue.hpp"

namespace shelfd {

// Other processes share standard error, so its flags are left unchanged. Instead a pipe or a terminal is reopened for
// this object alone, where that is allowed; to a socket, lines are sent without waiting. A file is written to directly.
class LogDescriptor {
public:
    // `descriptor` must stay open longer than this object.
    explicit LogDescriptor(int descriptor);
    LogDescriptor(const LogDescriptor&) = delete;
    LogDescriptor& operator=(const LogDescriptor&) = delete;
    ~LogDescriptor();

    LogQueue::Sent send(std::string& text, std::chrono::milliseconds patience) const;

private:
    enum class Way {
        write,      // a file, or a descriptor of our own that does not block
        send,       // a socket
        look_first  // a pipe that we may not reopen: writes at most what it surely accepts
    };
    long write_some(const std::string& text) const;

    int descriptor_;
    int own_ = -1;
    Way way_ = Way::write;
};

}  // namespace shelfd

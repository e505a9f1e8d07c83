// The other end of $NOTIFY_SOCKET, as systemd has it: a test hears there what a daemon says about itself.
#pragma once

#include "support/temp_directory.hpp"

#include <string>
#include <vector>

namespace shelfd {

// Bound from its construction on, in a directory of its own that every user may enter.
class NotifySocket {
public:
    NotifySocket();
    NotifySocket(const NotifySocket&) = delete;
    NotifySocket& operator=(const NotifySocket&) = delete;
    ~NotifySocket();

    std::string path() const { return directory_ / "notify"; }
    // Readable when a message waits: for poll(2).
    int descriptor() const { return descriptor_; }
    // What has arrived since the last call, one text a datagram ("READY=1\nSTATUS=…"). Does not wait.
    std::vector<std::string> take();

private:
    TempDirectory directory_;
    int descriptor_ = -1;
};

}  // namespace shelfd

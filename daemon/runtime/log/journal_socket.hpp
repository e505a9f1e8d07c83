// The journal's socket, in its own protocol: sd_journal_sendv(3) waits while journald stands, and this does not.
#pragma once

#include "runtime/log/log_queue.hpp"

#include <string>
#include <string_view>

namespace shelfd {

inline constexpr const char* journal_socket_path = "/run/systemd/journal/socket";

// "KEY=value", or with its length where the value has several lines: systemd.io/JOURNAL_NATIVE_PROTOCOL. Values are cut
// where an entry would not fit into one datagram.
void add_journal_field(std::string& entry, std::string_view key, std::string_view value);

class JournalSocket {
public:
    explicit JournalSocket(const std::string& path = journal_socket_path);
    JournalSocket(const JournalSocket&) = delete;
    JournalSocket& operator=(const JournalSocket&) = delete;
    ~JournalSocket();

    // One whole entry. `patience` is a fifth of a second, or none.
    LogQueue::Sent send(std::string& entry, std::chrono::milliseconds patience) const;

private:
    std::string path_;
    int socket_;
};

// Somebody may listen there.
bool journal_is_there(const std::string& path = journal_socket_path);

}  // namespace shelfd

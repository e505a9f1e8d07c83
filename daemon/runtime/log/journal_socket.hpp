// The journal's socket in its native protocol. Not sd_journal_sendv(3), which blocks while journald is stopped.
#pragma once

#include "runtime/log/log_queue.hpp"

#include <string>
#include <string_view>

namespace shelfd {

inline constexpr const char* journal_socket_path = "/run/systemd/journal/socket";

// Appends "KEY=value", or the form with a length if the value has several lines (systemd.io/JOURNAL_NATIVE_PROTOCOL).
// Cuts values so that an entry fits into one datagram.
void add_journal_field(std::string& entry, std::string_view key, std::string_view value);

class JournalSocket {
public:
    explicit JournalSocket(const std::string& path = journal_socket_path);
    JournalSocket(const JournalSocket&) = delete;
    JournalSocket& operator=(const JournalSocket&) = delete;
    ~JournalSocket();

    // Sends one whole entry. `patience` is 200 ms or 0.
    LogQueue::Sent send(std::string& entry, std::chrono::milliseconds patience) const;

private:
    std::string path_;
    int socket_;
};

// True if a journal may be listening at `path`.
bool journal_is_there(const std::string& path = journal_socket_path);

}  // namespace shelfd

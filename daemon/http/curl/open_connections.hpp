// The sockets of idle connections that libcurl keeps: it names one only when it sends a request on it.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

namespace shelfd::http {

// Loop only.
class OpenConnections {
public:
    // What libcurl tells of a connection before it sends a request on it.
    struct Ends {
        std::string peer;  // numeric address
        int peer_port = 0;
        int local_port = 0;

        friend bool operator==(const Ends&, const Ends&) = default;
    };

    // Call when a transfer (CURL*) has ended well: its connection may be used again.
    void transfer_ended(void* easy);
    // True if unread bytes or a close wait on that connection: they cannot answer a request that was not sent yet.
    // False also for a connection that is not known.
    bool has_unread(const Ends& ends) const;

private:
    std::unordered_map<int, Ends> by_socket_;  // some closed meanwhile; no more than there were sockets at once
};

}  // namespace shelfd::http
